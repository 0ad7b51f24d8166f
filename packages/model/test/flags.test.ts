import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type CompressionType,
  compressionFlag,
  compressionTypeOf,
  pullSysFlag,
  sysFlag,
  withTransactionType,
} from '@rocketmq-ts/model'
import { assertKinds, goldenVectors, type Vector } from './golden.ts'

describe('golden flags', () => {
  test('all kinds of vectors are known; versions are tested where they are defined', () => {
    assertKinds('flags.json', ['pullSysFlag', 'messageSysFlag', 'version'])
  })

  type PullVector = Vector & { sysFlag: number } & Record<keyof typeof pullSysFlag, boolean>

  for (const vector of goldenVectors<PullVector>('flags.json', 'pullSysFlag')) {
    test(`${vector.name} is as in Java`, () => {
      for (const part of Object.keys(pullSysFlag) as (keyof typeof pullSysFlag)[]) {
        assert.equal((vector.sysFlag & pullSysFlag[part]) !== 0, vector[part], part)
      }
    })
  }

  interface MessageVector extends Vector {
    readonly sysFlag: number
    readonly compressed: boolean
    readonly transactionValue: number
    readonly resetToCommit: number
    readonly compressionType: CompressionType | 'error'
  }

  for (const vector of goldenVectors<MessageVector>('flags.json', 'messageSysFlag')) {
    test(`${vector.name} is as in Java`, () => {
      assert.equal((vector.sysFlag & sysFlag.compressed) !== 0, vector.compressed)
      assert.equal(vector.sysFlag & sysFlag.transactionMask, vector.transactionValue)
      assert.equal(withTransactionType(vector.sysFlag, sysFlag.transactionCommit), vector.resetToCommit)
      assert.equal(compressionTypeOf(vector.sysFlag) ?? 'error', vector.compressionType)
    })
  }

  test('the type bits say what they were made for', () => {
    for (const type of ['ZLIB', 'LZ4', 'ZSTD'] as const) assert.equal(compressionTypeOf(compressionFlag(type)), type)
  })
})

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { offAbort, onAbort } from '@rocketmq-ts/runtime'

test('thousands of listeners are one of the signal, and each hears once, in order', () => {
  const controller = new AbortController()
  const heard: number[] = []
  for (let i = 0; i < 5000; i++) onAbort(controller.signal, () => heard.push(i))
  assert.equal(getEventListeners(controller.signal, 'abort').length, 1)
  controller.abort()
  assert.equal(heard.length, 5000)
  assert.deepEqual(heard.slice(0, 3), [0, 1, 2])
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
})

test('who has left hears nothing, and the last one leaves nothing on the signal', () => {
  const controller = new AbortController()
  const heard: string[] = []
  const first = { handleEvent: () => void heard.push('first') }
  const second = () => void heard.push('second')
  onAbort(controller.signal, first)
  onAbort(controller.signal, second)
  offAbort(controller.signal, first)
  offAbort(controller.signal, first)
  onAbort(controller.signal, first)
  offAbort(controller.signal, first)
  offAbort(controller.signal, second)
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
  onAbort(controller.signal, second)
  controller.abort()
  assert.deepEqual(heard, ['second'])
  offAbort(controller.signal, second)
})

test('a listener that leaves another while all are told keeps it from hearing', () => {
  const controller = new AbortController()
  const heard: string[] = []
  const second = () => void heard.push('second')
  onAbort(controller.signal, () => {
    heard.push('first')
    offAbort(controller.signal, second)
  })
  onAbort(controller.signal, second)
  controller.abort()
  assert.deepEqual(heard, ['first'])
})

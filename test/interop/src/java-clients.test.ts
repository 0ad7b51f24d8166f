import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OurStandalone, startJava, startOurStandalone, temporaryDirectory } from '../../peers/dist/index.js'
import { collect, eventually, numbered, skipWithoutJava } from './setup.ts'

let home: ReturnType<typeof temporaryDirectory>
let ours: OurStandalone

const java = (args: string[], ready?: RegExp) =>
  startJava('java client', 'JavaPeer', [...args, `namesrv=${ours.namesrv}`], {
    home: home.path,
    ...(ready ? { ready } : {}),
  })

const produce = async (...args: string[]) => {
  const producer = await java(['produce', ...args], /done/)
  assert.equal(await producer.exited, 0)
  return producer.text
}

before(async () => {
  if (skipWithoutJava) return
  home = temporaryDirectory('interop')
  ours = await startOurStandalone(`${home.path}/store`)
})

after(async () => {
  if (skipWithoutJava) return
  assert.equal(await ours.process.stop(), 0, 'our server must stop cleanly')
  home.dispose()
})

test('two Java push consumers of one group share what a Java producer sends through us', {
  skip: skipWithoutJava,
}, async () => {
  await produce('topic=Shared', 'count=1', 'prefix=first')
  const args = ['consume', 'topic=Shared', 'group=shared-group']
  const one = await java([...args, 'instance=one'], /started/)
  const two = await java([...args, 'instance=two'], /started/)
  await one.waitFor(/started/)
  const sent = await produce('topic=Shared', 'count=40', 'prefix=m')
  assert.equal([...sent.matchAll(/SEND_OK/g)].length, 40)
  const got = () => [...`${one.text}${two.text}`.matchAll(/got (m-\d+) /g)].map(match => match[1])
  await eventually('40 messages at the two members', () => new Set(got()).size === 40)
  assert.deepEqual([...new Set(got())].sort(), numbered('m', 40).sort())
  one.write('stop')
  two.write('stop')
  await one.exited
  await two.exited
})

test('two broadcasting Java consumers each get every message', { skip: skipWithoutJava }, async () => {
  await produce('topic=Cast', 'count=1', 'prefix=first')
  const args = ['consume', 'topic=Cast', 'group=cast-group', 'model=BROADCASTING']
  const one = await java([...args, 'instance=b1'], /started/)
  const two = await java([...args, 'instance=b2'], /started/)
  await produce('topic=Cast', 'count=12', 'prefix=c')
  for (const consumer of [one, two]) {
    const got = await collect(consumer, /got (c-\d+) /, 12)
    assert.deepEqual(got.sort(), numbered('c', 12).sort())
    consumer.write('stop')
    await consumer.exited
  }
})

test('a Java consumer with a tag expression gets only those tags', { skip: skipWithoutJava }, async () => {
  await produce('topic=Tagged', 'count=30', 'tags=a,b,c', 'prefix=t')
  const consumer = await java(['consume', 'topic=Tagged', 'group=tag-group', 'tags=a || c'], /started/)
  const got = await collect(consumer, /got (t-\d+) /, 20)
  assert.deepEqual(
    got.map(body => Number(body.slice(2)) % 3).filter(rest => rest === 1),
    [],
  )
  assert.equal(got.length, 20)
  consumer.write('stop')
  await consumer.exited
})

test('a Java batch and a compressed Java message come back as they were', { skip: skipWithoutJava }, async () => {
  await produce('topic=Batch', 'count=25', 'batch=true', 'prefix=b')
  await produce('topic=Batch', 'count=1', 'prefix=large', 'size=20000', 'compressOver=1000')
  const consumer = await java(['consume', 'topic=Batch', 'group=batch-group'], /started/)
  const got = await collect(consumer, /got (\S+) /, 26)
  assert.deepEqual(got.filter(body => body.startsWith('b-')).sort(), numbered('b', 25).sort())
  assert.equal(got.find(body => body.startsWith('large'))?.length, 20000)
  consumer.write('stop')
  await consumer.exited
})

import { ask } from '../../test/peers/dist/index.js'

/** A well-behaved producer's send must still be acknowledged. */
export async function sendOne(broker: string, topic: string): Promise<void> {
  const fields = {
    a: 'g',
    b: topic,
    c: 'TBW102',
    d: '4',
    e: '0',
    f: '0',
    g: '1796040000000',
    h: '0',
    i: 'TAGS\u0001a\u0002',
    j: '0',
    k: 'false',
    m: 'false',
  }
  const answer = await ask(broker, 310, fields, 'still there?')
  if (answer.code !== 0) throw new Error(`a send to ${topic} answered ${answer.code} ${answer.remark ?? ''}`)
}

/** The name server must still know the topic. The registration that follows a new topic may take a moment. */
export async function askRoute(namesrv: string, topic: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const answer = await ask(namesrv, 105, { topic })
    if (answer.code === 0) return
    if (attempt >= 100) throw new Error(`the route of ${topic} answered ${answer.code} ${answer.remark ?? ''}`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

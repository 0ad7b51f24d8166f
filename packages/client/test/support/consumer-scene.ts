import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createLitePullConsumerWith,
  createPullConsumerWith,
  createPushConsumerWith,
  type LitePullConsumer,
  type LitePullConsumerOptions,
  type PullConsumer,
  type PullConsumerOptions,
  type PushConsumer,
  type PushConsumerOptions,
} from '@rocketmq-ts/client/internal'
import { type Random, seededRandom } from '@rocketmq-ts/runtime'
import { FakeNameServer } from './fake-cluster.ts'
import { FakeConsumerBroker } from './fake-consumer-broker.ts'
import { ManualClock } from './manual-clock.ts'

/** A name server, one broker, a clock in the test's hand, and whatever consumers the test makes. */
export class ConsumerScene implements AsyncDisposable {
  readonly nameServer: FakeNameServer
  readonly broker: FakeConsumerBroker
  readonly clock = new ManualClock()
  readonly random: Random = seededRandom(7)
  readonly directory = mkdtempSync(join(tmpdir(), 'rocketmq-client-'))
  readonly #consumers: (PushConsumer | PullConsumer | LitePullConsumer)[] = []
  #names = 0

  private constructor(nameServer: FakeNameServer, broker: FakeConsumerBroker) {
    this.nameServer = nameServer
    this.broker = broker
  }

  /** `topics`: topic → number of queues. The retry topic of group `g` exists. */
  static async start(topics: Record<string, number> = { orders: 1 }): Promise<ConsumerScene> {
    const [nameServer, broker] = await Promise.all([FakeNameServer.start(), FakeConsumerBroker.start('broker-a')])
    for (const [topic, queues] of Object.entries({ ...topics, '%RETRY%g': 1 })) {
      nameServer.routes.set(topic, [broker.route(queues)])
    }
    return new ConsumerScene(nameServer, broker)
  }

  /** A push consumer of group `g` of topic `orders`, on an instance of its own, not started. */
  async push(options: Partial<PushConsumerOptions> = {}): Promise<PushConsumer> {
    const consumer = await createPushConsumerWith(
      { ...this.#common(), subscriptions: { orders: '*' }, awaitTerminationMs: 0, ...options },
      this.#ports(),
    )
    this.#consumers.push(consumer)
    return consumer
  }

  /** Makes the routes name these brokers: id → address. */
  setBrokers(addresses: Record<number, string>): void {
    for (const [topic, sets] of this.nameServer.routes) {
      this.nameServer.routes.set(
        topic,
        sets.map(set => ({ ...set, addresses })),
      )
    }
  }

  async pull(options: Partial<PullConsumerOptions> = {}): Promise<PullConsumer> {
    const consumer = await createPullConsumerWith({ ...this.#common(), ...options }, this.#ports())
    this.#consumers.push(consumer)
    return consumer
  }

  async lite(options: Partial<LitePullConsumerOptions> = {}): Promise<LitePullConsumer> {
    const consumer = await createLitePullConsumerWith({ ...this.#common(), ...options }, this.#ports())
    this.#consumers.push(consumer)
    return consumer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#consumers.map(consumer => consumer.close()))
    await Promise.all([this.nameServer.close(), this.broker.close()])
    rmSync(this.directory, { recursive: true, force: true })
  }

  #common() {
    return {
      nameServers: this.nameServer.address,
      group: 'g',
      clientAddress: '10.0.0.1',
      instanceName: `member-${this.#names++}`,
      offsetStoreDirectory: this.directory,
    }
  }

  #ports() {
    return { clock: this.clock, random: this.random }
  }
}

import { withNamespace } from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { ClientInstance } from '../client-instance.ts'
import { type Compressor, createCompressor } from '../compression/compression.ts'
import { type ClientPorts, integerOption } from '../options.ts'
import { Producer } from './producer.ts'
import { type ProducerOptions, type ResolvedProducerOptions, resolveProducerOptions } from './producer-options.ts'
import { TransactionProducer, type TransactionProducerOptions } from './transaction-producer.ts'

/**
 * Makes a producer and gets it ready. Resolves when it can send: the name servers are known, and the routes of `topics` have
 * been asked for (what is missing then is asked for at the first send). Rejects with `INVALID_ARGUMENT`, or
 * `NO_NAME_SERVER` when no name server is given anywhere.
 */
export function createProducer(options: ProducerOptions): Promise<Producer> {
  return createProducerWith(options)
}

/** {@link createProducer} on given ports. */
export async function createProducerWith(options: ProducerOptions, ports?: Partial<ClientPorts>): Promise<Producer> {
  const resolved = resolveProducerOptions(options, ports)
  return startProducer(resolved, (instance, compressor) => new Producer(resolved, instance, compressor))
}

/** The steps that all kinds of producers share. `make` must register at the instance, which `close` then releases. */
export async function startProducer<P extends { close(): Promise<void> }>(
  options: ResolvedProducerOptions,
  make: (instance: ClientInstance, compressor: Compressor) => P,
): Promise<P> {
  const compressor = await createCompressor(options.compressType, options.compressLevel)
  const instance = ClientInstance.acquire(options.client)
  let producer: P
  try {
    producer = make(instance, compressor)
  } catch (error) {
    await instance.release()
    throw error
  }
  try {
    await instance.start()
    if (instance.nameServers.addresses.length === 0) {
      throw new RocketMqError('NO_NAME_SERVER', 'no name server is given: set `nameServers`, or NAMESRV_ADDR')
    }
    await Promise.all(
      options.topics.map(topic => instance.routes.refresh(withNamespace(options.client.namespace, topic))),
    )
  } catch (error) {
    await producer.close()
    throw error
  }
  void instance.sendHeartbeats()
  return producer
}

/**
 * Makes a producer for messages in transactions; the rest as {@link createProducer}. Brokers ask any live producer of the
 * group, so give all its processes the same `check`.
 */
export function createTransactionProducer(options: TransactionProducerOptions): Promise<TransactionProducer> {
  return createTransactionProducerWith(options)
}

/** {@link createTransactionProducer} on given ports. */
export async function createTransactionProducerWith(
  options: TransactionProducerOptions,
  ports?: Partial<ClientPorts>,
): Promise<TransactionProducer> {
  const given = resolveProducerOptions(options, ports, ['check', 'checksMax'])
  // Brokers must know the group before its first message: they may hold half messages of an earlier process.
  const resolved = { ...given, topics: [...given.topics, given.createTopicKey] }
  const { check } = options
  if (typeof check !== 'function') {
    throw new RocketMqError('INVALID_ARGUMENT', 'a transaction producer needs a function `check`')
  }
  const checksMax = integerOption('checksMax', options.checksMax, 16, 1, 10_000)
  return startProducer(
    resolved,
    (instance, compressor) => new TransactionProducer(resolved, instance, compressor, { check, checksMax }),
  )
}

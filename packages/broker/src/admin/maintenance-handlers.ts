import { cleanExpiredConsumequeue, cleanUnusedTopic, deleteExpiredCommitlog, ResponseCode } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { Logger } from '@rocketmq-ts/runtime'
import type { MessageStore } from '@rocketmq-ts/store'
import { reasonOf } from '../remarks.ts'
import type { TopicTable } from '../topic/topic-table.ts'

/** Tidying up the store by hand. Source: AdminBrokerProcessor#cleanUnusedTopic and its siblings, 5.3.x */
export function registerMaintenance(
  router: Router,
  deps: {
    store: Pick<MessageStore, 'cleanUnusedTopics' | 'cleanExpiredConsumeQueues' | 'deleteExpired'>
    topics: TopicTable
    logger: Logger
  },
): void {
  const { store, topics, logger } = deps
  const run = async (what: string, work: () => unknown) => {
    try {
      await work()
      logger.info({ what }, 'the store was tidied up by hand')
      return {}
    } catch (error) {
      return { code: ResponseCode.SYSTEM_ERROR, remark: reasonOf(error) }
    }
  }
  router.handle(cleanUnusedTopic, () =>
    run('queues of unknown topics', () => store.cleanUnusedTopics(new Set(topics.names()))),
  )
  router.handle(cleanExpiredConsumequeue, () => run('expired consume queues', () => store.cleanExpiredConsumeQueues()))
  router.handle(deleteExpiredCommitlog, () => run('expired commit log files', () => store.deleteExpired(true)))
}

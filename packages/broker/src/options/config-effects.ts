import type { BrokerOptionName } from '../options.ts'
import type { Registrar } from '../registration/registrar.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import type { BrokerConfiguration } from './configuration.ts'

/** Settings that say which system topics there are. */
const topicSettings: readonly BrokerOptionName[] = ['autoCreateTopicEnable', 'traceTopicEnable', 'timerWheelEnable']

/**
 * Does what a change of settings calls for at once, beside being read where it is used: a changed permission or list of
 * name servers is registered, and system topics that a setting now asks for are made (Java makes them at the next start).
 */
export function followConfigChanges(
  configuration: BrokerConfiguration,
  deps: { topics: TopicTable; registrar: Registrar },
): void {
  const { topics, registrar } = deps
  configuration.onUpdate(names => {
    if (topicSettings.some(name => names.has(name)) && topics.ensureSystemTopics()) topics.countChange()
    if (names.has('brokerPermission')) topics.countChange()
    if (names.has('brokerPermission') || names.has('nameServers') || topicSettings.some(name => names.has(name))) {
      void registrar.registerNow()
    }
  })
}

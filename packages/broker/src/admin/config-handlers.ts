import { getBrokerConfig, ResponseCode, updateBrokerConfig } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { BrokerConfiguration } from '../options/configuration.ts'
import { reasonOf } from '../remarks.ts'

/**
 * The broker's settings at run time. Unlike Java, an unknown key or a bad value is refused (code 1) and changes nothing.
 * Source: AdminBrokerProcessor#updateBrokerConfig, #getBrokerConfig, 5.3.x
 */
export function registerConfig(router: Router, deps: { configuration: BrokerConfiguration }): void {
  const { configuration } = deps

  router.handle(getBrokerConfig, () => ({
    // The fields of a DataVersion in the order in which fastjson writes them.
    header: {
      version: JSON.stringify({
        counter: configuration.version.counter,
        stateVersion: configuration.version.stateVersion,
        timestamp: configuration.version.timestamp,
      }),
    },
    body: Buffer.from(configuration.text()),
  }))

  router.handle(updateBrokerConfig, ({ body }) => {
    if (body === undefined) return {}
    const text = body.toString()
    if (configuration.blackListedKey(text) !== undefined) {
      return { code: ResponseCode.NO_PERMISSION, remark: 'Can not update config in black list.' }
    }
    try {
      configuration.update(text)
      return {}
    } catch (error) {
      return { code: ResponseCode.SYSTEM_ERROR, remark: reasonOf(error) }
    }
  })
}

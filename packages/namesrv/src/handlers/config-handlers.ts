import {
  deleteKvConfig,
  getKvConfig,
  getKvlistByNamespace,
  getNamesrvConfig,
  kvTable,
  putKvConfig,
  ResponseCode,
  updateNamesrvConfig,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { NamesrvConfiguration } from '../configuration.ts'
import type { KvConfig } from '../kv-config.ts'

/** What configuration requests need. */
export interface ConfigDeps {
  readonly configuration: NamesrvConfiguration
  readonly kvConfig: KvConfig
}

/** Key-value configuration and the name server's own settings. Source: DefaultRequestProcessor, 5.3.x. */
export function registerConfig(router: Router, { configuration, kvConfig }: ConfigDeps): void {
  router.handle(putKvConfig, async ({ header: { namespace, key, value } }) => {
    await kvConfig.put(namespace, key, value)
    return {}
  })
  router.handle(getKvConfig, ({ header: { namespace, key } }) => {
    const value = kvConfig.get(namespace, key)
    if (value !== undefined) return { header: { value } }
    const remark = `No config item, Namespace: ${namespace} Key: ${key}`
    return { code: ResponseCode.QUERY_NOT_FOUND, remark, header: {} }
  })
  router.handle(deleteKvConfig, async ({ header: { namespace, key } }) => {
    await kvConfig.delete(namespace, key)
    return {}
  })
  router.handle(getKvlistByNamespace, ({ header: { namespace } }) => {
    const table = kvConfig.list(namespace)
    if (table !== undefined) return { body: kvTable.encode({ table }) }
    return { code: ResponseCode.QUERY_NOT_FOUND, remark: `No config item, Namespace: ${namespace}` }
  })
  router.handle(updateNamesrvConfig, ({ body }) => {
    const text = body?.toString('utf8') ?? ''
    if (configuration.isForbidden(text)) {
      return { code: ResponseCode.NO_PERMISSION, remark: 'Can not update config in black list.' }
    }
    configuration.update(text)
    return {}
  })
  router.handle(getNamesrvConfig, () => ({ body: Buffer.from(configuration.text()) }))
}

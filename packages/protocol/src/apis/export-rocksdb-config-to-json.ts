import { defineApi, defineHeader, required } from '../define.ts'
import { RequestCode } from '../request-codes.ts'

/** Writes configuration kept in the key-value store out as JSON files. */
export const exportRocksdbConfigToJson = defineApi({
  name: 'EXPORT_ROCKSDB_CONFIG_TO_JSON',
  code: RequestCode.EXPORT_ROCKSDB_CONFIG_TO_JSON,
  request: defineHeader('ExportRocksDBConfigToJsonRequestHeader', { configType: required.string() }),
})

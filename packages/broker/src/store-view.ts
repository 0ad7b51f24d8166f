import { createStoreOptions, type StoreOptions, storeOptionTable } from '@rocketmq-ts/store/internal'
import { type BrokerOptions, optionOfKey } from './options.ts'

/**
 * The store's settings as a view of the broker's: both name the same Java keys, so a change at run time reaches the store
 * without being copied. A key that the broker has not keeps the store's default.
 */
export function storeView(options: BrokerOptions): StoreOptions {
  const view = createStoreOptions()
  for (const [name, { key }] of Object.entries(storeOptionTable)) {
    const found = optionOfKey(key)
    if (found === undefined) continue
    Object.defineProperty(view, name, { enumerable: true, get: () => options[found.name] })
  }
  return view
}

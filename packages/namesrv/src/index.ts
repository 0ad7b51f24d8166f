/** The name server: which broker has which topic. */
export { type Namesrv, type NamesrvStartOptions, startNamesrv } from './namesrv.ts'
export {
  type NamesrvConf,
  type NamesrvOptionName,
  type NamesrvOptions,
  namesrvConfOf,
  namesrvOptions,
  namesrvOptionTable,
} from './options.ts'

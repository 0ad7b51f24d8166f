import { parseConfigText } from '@rocketmq-ts/protocol'
import { readTlsProperties, type TlsSettings } from '@rocketmq-ts/remoting'
import { type Disk, RocketMqError } from '@rocketmq-ts/runtime'

const DEFAULT_FILE = '/etc/rocketmq/tls.properties'

/** Where TLS settings may come from; the later of the same key wins. */
export interface TlsSources {
  readonly disk: Disk
  /** `-Dtls.…=` of the Java options. */
  readonly systemProperties: ReadonlyMap<string, string>
  /** `tls.…=` lines of the program's configuration file. */
  readonly configEntries: ReadonlyMap<string, string>
  /** Given on the command line: must exist. Else `tls.config.file`, else the default place, if there is a file. */
  readonly file: string | undefined
}

/** The TLS settings of a program. Throws `CONFIG_INVALID` for a missing file or a bad value. */
export function loadTlsSettings(sources: TlsSources): TlsSettings {
  const { disk, systemProperties, configEntries, file } = sources
  const entries = new Map([...systemProperties, ...configEntries])
  const path = file ?? entries.get('tls.config.file') ?? DEFAULT_FILE
  const content = disk.readFile(path)
  if (content !== undefined) {
    for (const [key, value] of parseConfigText(content.toString('utf8'))) entries.set(key, value)
  } else if (file !== undefined) {
    throw new RocketMqError('CONFIG_INVALID', `the TLS configuration file ${file} doesn't exist`, {
      details: { path: file },
    })
  }
  return readTlsProperties(entries, disk)
}

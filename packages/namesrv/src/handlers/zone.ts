import type { RemotingCommand } from '@rocketmq-ts/protocol'

/** Ext fields by which brokers and clients say in which zone they are. Source: MixAll, 5.3.x. */
const ZONE_NAME = '__ZONE_NAME'
const ZONE_MODE = '__ZONE_MODE'

/** The zone of a broker that registers. */
export function zoneNameOf(command: RemotingCommand): string | undefined {
  return command.extFields?.[ZONE_NAME]
}

/** The zone that a client wants to stay in; undefined when it doesn't care. */
export function wantedZoneOf(command: RemotingCommand): string | undefined {
  const fields = command.extFields
  if (fields?.[ZONE_MODE]?.toLowerCase() !== 'true') return undefined
  const zoneName = fields[ZONE_NAME]
  return zoneName === undefined || zoneName.trim() === '' ? undefined : zoneName
}

import { type RemotingCommand, signRequest } from '@rocketmq-ts/protocol'
import type { RequestHook } from '@rocketmq-ts/remoting'
import type { ClientCredentials, ResolvedClientOptions } from './options.ts'

/** Hooks that add header fields to every request, in the order that servers expect: the signature comes last. */
export function requestHooksOf(options: ResolvedClientOptions, isStream = false): RequestHook[] {
  const hooks: RequestHook[] = []
  const { namespaceV2, credentials } = options
  if (namespaceV2 !== undefined) hooks.push(namespaceHook(namespaceV2))
  if (isStream) hooks.push(streamHook)
  if (credentials !== undefined) hooks.push(signatureHook(credentials))
  return hooks
}

/** Source: NamespaceRpcHook, 5.3.x */
function namespaceHook(namespace: string): RequestHook {
  return {
    beforeRequest: (_address, command) => {
      const ext = extOf(command)
      ext.nsd = 'true'
      ext.ns = namespace
    },
  }
}

/** Source: StreamTypeRPCHook, 5.3.x */
const streamHook: RequestHook = {
  beforeRequest: (_address, command) => {
    extOf(command).ReqT = '0'
  },
}

function signatureHook(credentials: ClientCredentials): RequestHook {
  return { beforeRequest: (_address, command) => signRequest(command, credentials) }
}

function extOf(command: RemotingCommand): Record<string, string> {
  command.extFields ??= {}
  return command.extFields
}

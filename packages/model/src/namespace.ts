import { dlqPrefix, isDlqTopic, isRetryTopic, retryPrefix } from './names.ts'
import { isSystemGroup, isSystemTopic } from './system-names.ts'

/** Topics and groups inside a namespace: `ns%name`, and `%RETRY%ns%group`. Source: NamespaceUtil, 5.3.x. */

const SEPARATOR = '%'

function isSystemResource(resource: string): boolean {
  return isSystemTopic(resource) || isSystemGroup(resource)
}

function prefixOf(resource: string): string {
  return isRetryTopic(resource) ? retryPrefix : isDlqTopic(resource) ? dlqPrefix : ''
}

/** The resource's name inside `namespace`. System resources, and names that are already inside, stay as they are. */
export function withNamespace(namespace: string | undefined, resource: string): string {
  if (namespace === undefined || namespace === '' || resource === '') return resource
  if (isSystemResource(resource) || isInNamespace(resource, namespace)) return resource
  const prefix = prefixOf(resource)
  return prefix + namespace + SEPARATOR + resource.slice(prefix.length)
}

/** True when the name begins with that namespace. */
export function isInNamespace(resource: string, namespace: string): boolean {
  if (namespace === '' || resource === '' || isSystemResource(resource)) return false
  return resource.startsWith(namespace + SEPARATOR, prefixOf(resource).length)
}

/** The name without its namespace; with `namespace` given, only that one is removed. */
export function withoutNamespace(resource: string, namespace?: string): string {
  if (namespace !== undefined && !isInNamespace(resource, namespace)) return resource
  const own = namespaceOf(resource)
  if (own === '') return resource
  const prefix = prefixOf(resource)
  return prefix + resource.slice(prefix.length + own.length + 1)
}

/** The namespace of a topic or group, empty when it has none. */
export function namespaceOf(resource: string): string {
  if (resource === '' || isSystemResource(resource)) return ''
  const start = prefixOf(resource).length
  const separator = resource.indexOf(SEPARATOR, start)
  return separator > start ? resource.slice(start, separator) : ''
}

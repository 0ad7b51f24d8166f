export type Properties = Record<string, string | number | boolean>

/** The text of a broker.conf or namesrv.conf with these settings. */
export function propertiesText(settings: Properties): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')
}

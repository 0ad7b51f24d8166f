/** `[ 0 days, 1 hours, 2 minutes, 3 seconds ]`. Java's number format groups the days' thousands. */
export function runtimeText(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000)
  const days = Math.floor(seconds / 86_400).toLocaleString('en-US')
  const hours = Math.floor((seconds % 86_400) / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  return `[ ${days} days, ${hours} hours, ${minutes} minutes, ${seconds % 60} seconds ]`
}

/** `2026-11-30#10:02:44:415` in the process's time zone. Source: UtilAll#timeMillisToHumanString2 and the like, 5.3.x */
export function timeText(timestampMs: number): string {
  const date = new Date(timestampMs)
  const pad = (value: number, width = 2) => String(value).padStart(width, '0')
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(value => pad(value)).join(':')
  return `${day}#${time}:${pad(date.getMilliseconds(), 3)}`
}

/** `6.4 KiB`, `0 B`. Source: MixAll#humanReadableByteCount, 5.3.x */
export function byteCountText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  let exponent = 0
  let value = bytes
  while (value >= 1024 && exponent < 6) {
    value /= 1024
    exponent++
  }
  return `${value.toFixed(1)} ${'KMGTPE'[exponent - 1]}iB`
}

/** The addresses of a `;` separated list, in order, without blanks and repetitions. */
export function parseNameServers(text: string | undefined): string[] {
  const addresses = (text ?? '').split(';').map(address => address.trim())
  return [...new Set(addresses.filter(address => address !== ''))]
}

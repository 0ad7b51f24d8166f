/** Resolves after the turns of the event loop that it takes for bytes under way on loopback to be handled. */
export async function settled(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>(resolve => setImmediate(resolve))
}

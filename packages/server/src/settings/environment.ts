/** What the environment of RocketMQ's own scripts says. */
export interface EnvironmentSettings {
  /** `ROCKETMQ_HOME`, or `-Drocketmq.home.dir=` in the Java options. */
  readonly home: string | undefined
  /** `NAMESRV_ADDR`, or `-Drocketmq.namesrv.addr=` in the Java options. */
  readonly nameServers: string | undefined
  /** All `-Dkey=value` of the Java options, which is how TLS is set up for the Java programs. */
  readonly systemProperties: ReadonlyMap<string, string>
}

/**
 * Reads the variables that RocketMQ's scripts and images use. Of `JAVA_OPT` and `JAVA_OPT_EXT` only `-Dkey=value` means
 * anything here; heap sizes and the like are passed over.
 */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): EnvironmentSettings {
  const systemProperties = new Map<string, string>()
  for (const options of [environment.JAVA_OPT, environment.JAVA_OPT_EXT]) {
    for (const [, key, value] of (options ?? '').matchAll(/(?:^|\s)-D([^\s=]+)=(\S*)/g)) {
      systemProperties.set(key as string, value as string)
    }
  }
  return {
    home: systemProperties.get('rocketmq.home.dir') ?? nonEmpty(environment.ROCKETMQ_HOME),
    nameServers: systemProperties.get('rocketmq.namesrv.addr') ?? nonEmpty(environment.NAMESRV_ADDR),
    systemProperties,
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text
}

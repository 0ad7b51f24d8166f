import { type Disk, type DiskFile, RocketMqError, realDisk } from '@rocketmq-ts/runtime'

/** The real disk, whose commit log can be made to fail or to take its time. */
export class FaultyDisk {
  /** Writes to the commit log fail with ENOSPC. */
  isFull = false
  /** Syncs of the commit log don't finish while this is set. */
  stall: Promise<void> | undefined
  readonly disk: Disk

  constructor() {
    this.disk = new Proxy(realDisk, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown
        if (name === 'open') return (...args: Parameters<Disk['open']>) => this.#wrap(target.open(...args))
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  #wrap(file: DiskFile): DiskFile {
    if (!file.path.includes('/commitlog/')) return file
    return new Proxy(file, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown
        if (name === 'writeSync' || name === 'writeVectorSync') {
          return (...args: unknown[]) => {
            if (this.isFull) throw new RocketMqError('DISK_FULL', `no space left for ${target.path}`)
            return (value as (...rest: unknown[]) => unknown).apply(target, args)
          }
        }
        if (name === 'sync') return async () => this.stall?.then(() => target.sync()) ?? target.sync()
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory of its own, removed when the `using` block ends. */
export class TemporaryDirectory implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'namesrv-'))

  at(name: string): string {
    return join(this.path, name)
  }

  read(name: string): string {
    return readFileSync(this.at(name), 'utf8')
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

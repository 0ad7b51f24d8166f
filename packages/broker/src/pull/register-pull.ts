import { RequestCode } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import { type PullDeps, PullHandler } from './pull-handler.ts'

/** Registers PULL_MESSAGE and LITE_PULL_MESSAGE. */
export function registerPull(router: Router, deps: PullDeps): PullHandler {
  const handler = new PullHandler(deps)
  for (const code of [RequestCode.PULL_MESSAGE, RequestCode.LITE_PULL_MESSAGE]) {
    router.handleRaw(code, (command, connection) => handler.handle(command, connection))
  }
  return handler
}

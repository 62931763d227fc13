import { ConfigError, readConfig } from '../shared/config/config.ts'
import type { Config } from '../shared/config/settings.ts'
import { withTimeout } from '../shared/lifecycle/timeout.ts'
import { checkAccess } from './access.ts'
import { type Check, codeOf, fail, ok, type Tell, warn } from './finding.ts'
import { checkManager } from './manager.ts'
import { checkObjectStore } from './object-store.ts'
import { checkOrigins } from './origins.ts'
import { checkRedis } from './redis.ts'

const checks: [about: string, check: Check][] = [
  ['access', checkAccess],
  ['origins', checkOrigins],
  ['redis', checkRedis],
  ['object store', checkObjectStore],
  ['manager database', checkManager],
]

const limitMs = 60_000

/** Runs all checks in sequence, with the settings of this process. */
export async function examine(tell: Tell): Promise<void> {
  const config = configuration(tell)
  if (config === null) return
  for (const [about, check] of checks) {
    await withTimeout((async () => check(config, tell))(), limitMs).catch((error) =>
      tell(fail(about, `could not be looked at to the end (${codeOf(error)})`)),
    )
  }
}

/** Reads the settings as a worker, which needs the fewest; `checkAccess` covers those that only an API needs. */
function configuration(tell: Tell): Config | null {
  try {
    const config = readConfig('worker')
    if (config.failpoint === null) tell(ok('settings', 'complete and valid'))
    else tell(warn('settings', 'FAILPOINT is set, which stops processes on purpose: unset it outside of tests'))
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) tell(fail('settings', problem))
    tell(fail('settings', 'nothing else was looked at: set these first'))
    return null
  }
}

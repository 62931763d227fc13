import { type Config, ConfigError, readConfig } from '../shared/config/config.ts'
import { withTimeout } from '../shared/lifecycle/timeout.ts'
import { trustAuthorities } from '../shared/lifecycle/trust.ts'
import { checkAccess } from './access.ts'
import { type Check, codeOf, type Finding, fail, ok, warn } from './finding.ts'
import { checkManager } from './manager.ts'
import { checkObjectStore } from './object-store.ts'
import { checkCallbacks, checkOrigins } from './origins.ts'
import { checkRedis } from './redis.ts'

const checks: [subject: string, check: Check][] = [
  ['access', checkAccess],
  ['origins', checkOrigins],
  ['callbacks', checkCallbacks],
  ['redis', checkRedis],
  ['object store', checkObjectStore],
  ['manager database', checkManager],
]

type Report = (finding: Finding) => void

const limitMs = 60_000

/** Runs all checks in sequence, with the settings of this process. */
export async function runChecks(report: Report): Promise<void> {
  const config = configuration(report)
  if (config === null) return
  trustAuthorities(config.authorities)
  for (const [subject, check] of checks) {
    const run = async () => {
      for await (const finding of check(config)) report(finding)
    }
    await withTimeout(run(), limitMs).catch((error) =>
      report(fail(subject, `the check did not finish (${codeOf(error)})`)),
    )
  }
}

/** Reads the settings that a worker needs. An API needs authentication as well, which `checkAccess` checks. */
function configuration(report: Report): Config | null {
  try {
    const config = readConfig('worker')
    if (config.testOverrides === null) report(ok('settings', 'complete and valid'))
    else report(warn('settings', 'TEST_OVERRIDES is set, which replaces limits and times: unset it outside of tests'))
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) report(fail('settings', problem))
    report(fail('settings', 'nothing else was checked: correct these first'))
    return null
  }
}

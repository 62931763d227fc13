import type { Issue } from '../../shared/errors/app-error.ts'
import type { Preferences } from './endpoint.ts'

/** Time that `Prefer: wait` may ask for. Beyond this limit the answer is `400 invalidRequest`. */
const longestWaitSeconds = 55

/**
 * Parses `Prefer` (RFC 7240): `respond-async`, `wait=N`, `return=minimal`. The first of a repeated preference counts;
 * unknown ones are ignored. Contract 7.3.
 */
export function parsePrefer(header: string | undefined, issues: Issue[]): Preferences {
  const given = new Map<string, string>()
  for (const preference of (header ?? '').split(',')) {
    const [, name, value = ''] = /^\s*([\w-]+)\s*(?:=\s*"?([^";]*)"?)?/.exec(preference.toLowerCase()) ?? []
    if (name !== undefined && !given.has(name)) given.set(name, value.trim())
  }
  const wait = given.get('wait')
  const isWait = wait !== undefined && /^\d{1,2}$/.test(wait) && Number(wait) <= longestWaitSeconds
  if (wait !== undefined && !isWait) {
    issues.push({ path: 'Prefer', message: `wait must be 0 to ${longestWaitSeconds} seconds` })
  }
  return {
    waitSeconds: isWait ? Number(wait) : null,
    respondAsync: given.has('respond-async'),
    returnMinimal: given.get('return') === 'minimal',
  }
}

/** The `Preference-Applied` header; no header if no preference was applied. */
export function preferenceApplied({ waitSeconds, respondAsync, returnMinimal }: Preferences): Record<string, string> {
  const applied = [
    ...(respondAsync ? ['respond-async'] : []),
    ...(waitSeconds !== null ? [`wait=${waitSeconds}`] : []),
    ...(returnMinimal ? ['return=minimal'] : []),
  ]
  return applied.length === 0 ? {} : { 'Preference-Applied': applied.join(', ') }
}

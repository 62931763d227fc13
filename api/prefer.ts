import type { Issue } from '../shared/errors/app-error.ts'
import type { Preferences } from './endpoint.ts'

const longestWaitSeconds = 55

/** `Prefer` (RFC 7240): `respond-async`, `wait=N`, `return=minimal`; preferences not known here are not applied. Contract 7.3. */
export function parsePrefer(header: string | undefined, issues: Issue[]): Preferences {
  const prefer: Preferences = { waitSeconds: null, respondAsync: false, returnMinimal: false }
  for (const [name = '', value] of (header ?? '').split(/[,;]/).map((part) =>
    part
      .trim()
      .toLowerCase()
      .split(/\s*=\s*/),
  )) {
    if (name === 'respond-async') prefer.respondAsync = true
    if (name === 'return' && value?.replaceAll('"', '') === 'minimal') prefer.returnMinimal = true
    if (name === 'wait') {
      const seconds = Number(value?.replaceAll('"', '') || Number.NaN)
      if (Number.isInteger(seconds) && seconds >= 0 && seconds <= longestWaitSeconds) prefer.waitSeconds = seconds
      else issues.push({ path: 'Prefer', message: `wait must be 0 to ${longestWaitSeconds} seconds` })
    }
  }
  return prefer
}

/** What was applied, for `Preference-Applied`; nothing where nothing was asked. */
export function preferenceApplied({ waitSeconds, respondAsync, returnMinimal }: Preferences): Record<string, string> {
  const applied = [
    ...(respondAsync ? ['respond-async'] : []),
    ...(waitSeconds !== null ? [`wait=${waitSeconds}`] : []),
    ...(returnMinimal ? ['return=minimal'] : []),
  ]
  return applied.length === 0 ? {} : { 'Preference-Applied': applied.join(', ') }
}

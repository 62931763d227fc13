import type { Plan } from './plan.ts'

/** A sub-request of a multi that must agree with others on an option. */
export interface Participant {
  index: number
  plan: Plan
}

/** State of a scope: its first participant, and the first later one whose setting differs. */
interface Agreement {
  first: Participant
  setting: string
  different: Participant | null
}

const everyScope = Symbol('every scope')
const anyScope = Symbol('any scope')

/**
 * Finds the first participant whose setting differs from the setting of an earlier participant with a common scope, in
 * one pass: there may be ten thousand participants, with millions of scopes.
 * @param scopes the scopes of each participant; null means all scopes.
 */
export function firstDisagreement(
  participants: readonly Participant[],
  scopes: readonly (readonly string[] | null)[],
  settingOf: (plan: Plan) => string,
): [Participant, Participant] | null {
  if (participants.length < 2) return null
  const settings = participants.map(({ plan }) => settingOf(plan))
  if (settings.every((setting) => setting === settings[0])) return null
  const agreements = new Map<string | symbol, Agreement>()
  for (const [position, participant] of participants.entries()) {
    const setting = settings[position] as string
    const own = scopes[position] ?? null
    let earliest: Participant | null = null
    for (const scope of own === null ? [anyScope] : [everyScope, ...own]) {
      const earlier = differingFrom(setting, agreements.get(scope))
      if (earlier && earlier.index < (earliest?.index ?? participant.index)) earliest = earlier
    }
    if (earliest) return [earliest, participant]
    for (const scope of own === null ? [everyScope, anyScope] : [anyScope, ...own]) {
      record(agreements, scope, participant, setting)
    }
  }
  return null
}

function differingFrom(setting: string, agreement: Agreement | undefined): Participant | null {
  if (agreement === undefined) return null
  return agreement.setting === setting ? agreement.different : agreement.first
}

function record(
  agreements: Map<string | symbol, Agreement>,
  scope: string | symbol,
  participant: Participant,
  setting: string,
): void {
  const known = agreements.get(scope)
  if (known === undefined) agreements.set(scope, { first: participant, setting, different: null })
  else if (known.different === null && known.setting !== setting) known.different = participant
}

import { ReplayError } from '../errors.ts'
import type { Connection } from '../run/connection.ts'
import type { LoadedPart } from '../source/load-part.ts'
import type { Uniqueness } from './constraints.ts'
import { createNeeds } from './needed.ts'
import { createMissing, type PreflightSettings, preflight } from './preflight.ts'

/**
 * Checks each window before it is written: manifests of earlier builds omit constraints that pairs need.
 * @param checked the constraints that were looked for before the first window
 */
export function createLateNeeds(connection: Connection, checked: readonly Uniqueness[], settings: PreflightSettings) {
  const needs = createNeeds()
  const known = new Set(checked.map(textOf))
  return async (parts: readonly LoadedPart[], signal: AbortSignal): Promise<void> => {
    for (const { items } of parts) needs.add(items)
    const late = needs.all().filter((one) => !known.has(textOf(one)))
    if (late.length === 0) return
    for (const one of late) known.add(textOf(one))
    try {
      await createMissing(connection, await preflight(connection, late, settings, signal), signal)
    } catch (error) {
      if (!(error instanceof ReplayError)) throw error
      throw new ReplayError(error.kind, `part ${parts[0]?.number}: ${error.message}`, { cause: error })
    }
  }
}

const textOf = ({ label, property }: Uniqueness): string => `${label}\u0000${property}`

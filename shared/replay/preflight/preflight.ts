import { ReplayError } from '../errors.ts'
import type { Connection } from '../run/connection.ts'
import { describeFailure, remedyFor } from '../run/failures.ts'
import { type ConstraintSyntax, constraintSyntax, creation, ensures, listing, type Uniqueness } from './constraints.ts'
import { allRows, probeWrite } from './queries.ts'

export interface PreflightSettings {
  createConstraints: boolean
  withoutConstraints: boolean
}

/**
 * Finds out whether a replay can begin, before it writes: whether the target can be reached and written, and has the
 * constraints, or makes them.
 * @returns the id of the database; null where it has none.
 * @throws ReplayError
 */
export async function preflight(
  connection: Connection,
  needed: readonly Uniqueness[],
  { createConstraints, withoutConstraints }: PreflightSettings,
  signal: AbortSignal,
): Promise<{ databaseId: string | null }> {
  try {
    const protocol = await probeWrite(connection, signal)
    const databaseId = await idOf(connection, signal)
    if (withoutConstraints) return { databaseId }
    const syntax = constraintSyntax(protocol)
    const existing = await allRows(connection, listing(syntax), {}, signal)
    const missing = needed.filter((one) => !existing.some((row) => ensures(row, one)))
    if (missing.length > 0 && !createConstraints) throw new ReplayError('refused', missingText(missing, syntax))
    for (const one of missing) await create(connection, one, syntax, signal)
    return { databaseId }
  } catch (error) {
    if (error instanceof ReplayError) throw error
    const isAway = remedyFor(error) === 'reconnect'
    const problem = isAway ? 'cannot be reached' : 'cannot be written'
    const message = `the target ${problem}: ${describeFailure(error)}`
    throw new ReplayError(isAway ? 'failed' : 'refused', message, { cause: error })
  }
}

async function idOf(connection: Connection, signal: AbortSignal): Promise<string | null> {
  const rows = await allRows(connection, 'CALL db.info() YIELD id RETURN id', {}, signal).catch(() => [])
  return typeof rows[0]?.id === 'string' ? rows[0].id : null
}

function missingText(missing: readonly Uniqueness[], syntax: ConstraintSyntax): string {
  const shown = missing.map(({ label, property }) => `:${label}(${property})`).join(', ')
  const run = missing.map((one) => creation(one, syntax)).join('; ')
  const risk = 'replay would be slow and could make duplicates'
  return `the target has no uniqueness constraint on ${shown}: ${risk}. Run: ${run}; or pass --create-constraints`
}

async function create(
  connection: Connection,
  one: Uniqueness,
  syntax: ConstraintSyntax,
  signal: AbortSignal,
): Promise<void> {
  try {
    // Answers when the index behind the constraint is complete.
    await allRows(connection, creation(one, syntax), {}, signal)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code?.endsWith('.EquivalentSchemaRuleAlreadyExists')) return
    // The first line names the constraint, the next the two nodes in the way.
    const reason = /^Both Node.*$/m.exec(message)?.[0] ?? describeFailure(error)
    const which = `the uniqueness constraint on :${one.label}(${one.property}) cannot be created`
    throw new ReplayError('refused', `${which}: ${reason}`, { cause: error })
  }
}

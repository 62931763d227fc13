import { ReplayError } from '../errors.ts'
import type { Connection } from '../run/connection.ts'
import { describeFailure, isAbort, remedyFor } from '../run/failures.ts'
import { type ConstraintSyntax, creation, ensures, listing, namesOf, type Uniqueness } from './constraints.ts'
import { dropOf, indexListing } from './indexes.ts'
import { allRows, probe } from './queries.ts'

export interface PreflightSettings {
  createConstraints?: boolean
  withoutConstraints?: boolean
}

/**
 * Finds out whether a replay can begin: whether the target can be reached and written, and has the constraints, or may
 * get them. Writes nothing.
 * @param useful further constraints, which the target may lack
 * @returns the constraints that the target lacks, for `createMissing`, and the useful ones that it has; `databaseId` is
 * null if the database has none.
 * @throws ReplayError
 */
export const preflight = (
  connection: Connection,
  needed: readonly Uniqueness[],
  { createConstraints, withoutConstraints }: PreflightSettings,
  signal: AbortSignal,
  useful: readonly Uniqueness[] = [],
) =>
  reached('written', async () => {
    // This fails if the user may only read, or the database is read-only.
    const syntax = await probe(connection, 'CREATE ()', signal)
    const databaseId = await idOf(connection, signal)
    const missing = withoutConstraints ? [] : await missingConstraints(connection, needed, syntax, signal)
    const drops = missing.length > 0 ? await dropsFor(connection, missing, syntax, signal) : []
    if (missing.length > 0 && !createConstraints) throw new ReplayError('refused', missingText(missing, drops, syntax))
    if (drops.length > 0) throw new ReplayError('refused', obstructedText(drops))
    const lacking = useful.length > 0 ? await missingConstraints(connection, useful, syntax, signal) : []
    return { databaseId, missing, syntax, useful: useful.filter((one) => !lacking.includes(one)) }
  })

/** Creates the missing constraints. @throws ReplayError if one cannot be created; it names the ones created before */
export const createMissing = (
  connection: Connection,
  { missing, syntax }: { missing: readonly Uniqueness[]; syntax: ConstraintSyntax },
  signal: AbortSignal,
): Promise<void> =>
  reached('written', async () => {
    for (const [index, one] of missing.entries()) {
      // The query ends when the index behind the constraint is complete.
      await allRows(connection, creation(one, syntax), {}, signal).catch((error) => {
        if (error.code?.endsWith('.EquivalentSchemaRuleAlreadyExists')) return
        // Another line names the constraint, which is known.
        const reason = /^Both Node.*$/m.exec(error.message)?.[0] ?? describeFailure(error)
        const which = `the uniqueness constraint on ${namesOf([one])} cannot be created`
        const created = missing.slice(0, index)
        const before = created.length === 0 ? '' : `; created before it: ${namesOf(created)}`
        throw new ReplayError('refused', `${which}: ${reason}${before}`, { cause: error })
      })
    }
  })

/**
 * Finds out whether a target can be read, and which constraints it lacks, without which reading is slow.
 * @returns the missing constraints; none if the user may not list constraints.
 * @throws ReplayError
 */
export const preflightRead = (
  connection: Connection,
  needed: readonly Uniqueness[],
  signal: AbortSignal,
): Promise<readonly Uniqueness[]> =>
  reached('read', async () => {
    const syntax = await probe(connection, 'RETURN 1', signal)
    return missingConstraints(connection, needed, syntax, signal).catch(() => [])
  })

async function missingConstraints(
  connection: Connection,
  needed: readonly Uniqueness[],
  syntax: ConstraintSyntax,
  signal: AbortSignal,
): Promise<readonly Uniqueness[]> {
  const existing = await allRows(connection, listing(syntax), {}, signal)
  return needed.filter((one) => !existing.some((row) => ensures(row, one)))
}

/** An index that is in the way of a constraint, and the statement that drops it. */
interface Drop {
  one: Uniqueness
  drop: string
}

/** The indexes in the way of missing constraints; none if the user may not list indexes. */
async function dropsFor(
  connection: Connection,
  missing: readonly Uniqueness[],
  syntax: ConstraintSyntax,
  signal: AbortSignal,
): Promise<Drop[]> {
  const indexes = await allRows(connection, indexListing(syntax), {}, signal).catch((error) => {
    if (isAbort(error) || remedyFor(error) === 'reconnect') throw error
    return []
  })
  return missing.flatMap((one) => {
    const drop = indexes.map((row) => dropOf(row, one)).find((text) => text !== null)
    return drop === undefined ? [] : [{ one, drop: drop as string }]
  })
}

/** Turns a failure into an error that says whether the target cannot be reached, or cannot be `done`. */
async function reached<T>(done: 'read' | 'written', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ReplayError || isAbort(error)) throw error
    const isAway = remedyFor(error) === 'reconnect'
    const problem = isAway ? 'cannot be reached' : `cannot be ${done}`
    const message = `the target ${problem}: ${describeFailure(error)}`
    throw new ReplayError(isAway ? 'failed' : 'refused', message, { cause: error })
  }
}

async function idOf(connection: Connection, signal: AbortSignal): Promise<string | null> {
  const rows = await allRows(connection, 'CALL db.info() YIELD id RETURN id', {}, signal).catch(() => [])
  return typeof rows[0]?.id === 'string' ? rows[0].id : null
}

function missingText(missing: readonly Uniqueness[], drops: readonly Drop[], syntax: ConstraintSyntax): string {
  const first = drops.map(({ drop }) => `${drop}; `).join('')
  const run = missing.map((one) => creation(one, syntax)).join('; ')
  const risk = 'replay would be slow and could make duplicates'
  const hint = `Run: ${first}${run}; or ${drops.length > 0 ? `run only ${dropText(drops)} and ` : ''}pass --create-constraints`
  return `the target has no uniqueness constraint on ${namesOf(missing)}: ${risk}. ${hint}`
}

function obstructedText(drops: readonly Drop[]): string {
  const names = namesOf(drops.map(({ one }) => one))
  return `the uniqueness constraint on ${names} cannot be created while a plain index is there. Run: ${dropText(drops)}`
}

const dropText = (drops: readonly Drop[]) => drops.map(({ drop }) => drop).join('; ')

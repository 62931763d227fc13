import { ReplayError } from '../errors.ts'
import { type Connection, connect, type Target } from '../run/connection.ts'
import { describeFailure, isAbort, remedyFor } from '../run/failures.ts'
import { interruptible } from '../run/interruptible.ts'
import { type ConstraintSyntax, constraintSyntax, creation, ensures, listing, type Uniqueness } from './constraints.ts'
import { allRows, type Protocol, probeRead, probeWrite } from './queries.ts'

export interface PreflightSettings {
  createConstraints: boolean
  withoutConstraints: boolean
}

export interface Preflight {
  /** Null if the database has none. */
  databaseId: string | null
  /** Constraints that the target lacks, for `createMissing`. */
  missing: readonly Uniqueness[]
  syntax: ConstraintSyntax
}

/**
 * Finds out whether a replay can begin: whether the target can be reached and written, and has the constraints, or may
 * get them. Writes nothing.
 * @throws ReplayError
 */
export function preflight(
  connection: Connection,
  needed: readonly Uniqueness[],
  { createConstraints, withoutConstraints }: PreflightSettings,
  signal: AbortSignal,
): Promise<Preflight> {
  return reached('written', async () => {
    const protocol = await probeWrite(connection, signal)
    const databaseId = await idOf(connection, signal)
    const syntax = constraintSyntax(protocol)
    if (withoutConstraints) return { databaseId, missing: [], syntax }
    const missing = await missingConstraints(connection, needed, protocol, signal)
    if (missing.length > 0 && !createConstraints) throw new ReplayError('refused', missingText(missing, syntax))
    return { databaseId, missing, syntax }
  })
}

/** Creates the missing constraints. @throws ReplayError if one cannot be created; it names the ones created before */
export function createMissing(
  connection: Connection,
  { missing, syntax }: Pick<Preflight, 'missing' | 'syntax'>,
  signal: AbortSignal,
): Promise<void> {
  return reached('written', async () => {
    for (const [index, one] of missing.entries()) {
      await create(connection, one, syntax, missing.slice(0, index), signal)
    }
  })
}

/** Finds out, before there is a packet, whether a target can be reached and written. @throws ReplayError */
export async function checkTarget(target: Target, signal: AbortSignal): Promise<void> {
  const connection = connect(target)
  const settings = { createConstraints: false, withoutConstraints: true }
  try {
    await interruptible(signal, 'interrupted', () => preflight(connection, [], settings, signal))
  } finally {
    await connection.close()
  }
}

/**
 * Finds out whether a target can be read, and which constraints it lacks, without which reading is slow.
 * @returns the missing constraints; none if the user may not list constraints.
 * @throws ReplayError
 */
export function preflightRead(
  connection: Connection,
  needed: readonly Uniqueness[],
  signal: AbortSignal,
): Promise<readonly Uniqueness[]> {
  return reached('read', async () => {
    const protocol = await probeRead(connection, signal)
    return missingConstraints(connection, needed, protocol, signal).catch(() => [])
  })
}

async function missingConstraints(
  connection: Connection,
  needed: readonly Uniqueness[],
  protocol: Protocol,
  signal: AbortSignal,
): Promise<readonly Uniqueness[]> {
  const existing = await allRows(connection, listing(constraintSyntax(protocol)), {}, signal)
  return needed.filter((one) => !existing.some((row) => ensures(row, one)))
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

function missingText(missing: readonly Uniqueness[], syntax: ConstraintSyntax): string {
  const shown = shownIn(missing)
  const run = missing.map((one) => creation(one, syntax)).join('; ')
  const risk = 'replay would be slow and could make duplicates'
  return `the target has no uniqueness constraint on ${shown}: ${risk}. Run: ${run}; or pass --create-constraints`
}

async function create(
  connection: Connection,
  one: Uniqueness,
  syntax: ConstraintSyntax,
  created: readonly Uniqueness[],
  signal: AbortSignal,
): Promise<void> {
  try {
    // The query ends when the index behind the constraint is complete.
    await allRows(connection, creation(one, syntax), {}, signal)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code?.endsWith('.EquivalentSchemaRuleAlreadyExists')) return
    // The first line names the constraint, the next the two nodes in the way.
    const reason = /^Both Node.*$/m.exec(message)?.[0] ?? describeFailure(error)
    const which = `the uniqueness constraint on :${one.label}(${one.property}) cannot be created`
    const before = created.length === 0 ? '' : `; created before it: ${shownIn(created)}`
    throw new ReplayError('refused', `${which}: ${reason}${before}`, { cause: error })
  }
}

const shownIn = (constraints: readonly Uniqueness[]) =>
  constraints.map(({ label, property }) => `:${label}(${property})`).join(', ')

import { createHash } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { ReplayError } from '../errors.ts'
import { writeWhole } from '../whole-file.ts'

const state = z.strictObject({
  version: z.literal(1),
  /** Of the packet. */
  sha256: z.string(),
  generation: z.number().nullable(),
  /** Of the target's address: two databases may both have no id. */
  target: z.string(),
  databaseId: z.string().nullable(),
  /** Numbers of the parts of which every pair was committed, or refused and handed over. */
  done: z.array(z.number().int().positive()),
  /** The refused pairs of these parts. */
  rejected: z.array(z.strictObject({ part: z.number().int().positive(), pair: z.number().int().positive() })),
})

/** How far a replay has come. No address, no secret. */
export type State = z.infer<typeof state>

export const targetHash = (url: string, database: string | null): string =>
  createHash('sha256')
    .update(JSON.stringify([url, database]))
    .digest('hex')

/**
 * @param isIgnored whether only to find out that the file can be read.
 * @returns the state, or null without a file.
 * @throws ReplayError `refused` if the file cannot be read, or is none of a replay.
 */
export async function readState(file: string, isIgnored: boolean): Promise<State | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new ReplayError('refused', `the state file ${file} cannot be read (${error.code}); name another file`)
  })
  if (text === null || isIgnored) return null
  try {
    return state.parse(JSON.parse(text))
  } catch (cause) {
    throw new ReplayError('refused', `${file} is no state file of a replay; pass --restart to begin anew`, { cause })
  }
}

/** @throws ReplayError `failed` if the file cannot be written, as on a disk that is full or beside another replay */
export async function writeState(file: string, state: State): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeWhole(file, `${JSON.stringify(state)}\n`)
  } catch (cause) {
    const problem = `cannot be written (${(cause as NodeJS.ErrnoException).code})`
    const rest = 'what was replayed stays, and the same command goes on when it can'
    throw new ReplayError('failed', `the state file ${file} ${problem}; ${rest}`, { cause })
  }
}

export const removeState = (file: string): Promise<void> => rm(file, { force: true })

/** @throws ReplayError `refused` if the state is of another packet or target. */
export function requireSame(known: State, current: State): void {
  const problem =
    known.target !== current.target
      ? 'of another target'
      : known.databaseId !== current.databaseId
        ? `of another database (id ${known.databaseId})`
        : known.generation !== current.generation
          ? `of another generation of the packet (${known.generation})`
          : known.sha256 !== current.sha256
            ? 'of another packet'
            : null
  if (problem !== null) throw new ReplayError('refused', `the state file is ${problem}; pass --restart to begin anew`)
}

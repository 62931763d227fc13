import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { Place } from '../../../packet/parts/parse-part.ts'
import { ReplayError } from '../errors.ts'
import { writeWhole } from '../whole-file.ts'

/**
 * Remembers in a file which parts are done; without a file, nothing. `restart` ignores which parts the file calls done.
 */
export async function openResume(file: string | null, restart: boolean) {
  const found = file === null ? null : await readState(file)
  let state: State | null = null
  const remember = async (next: State) => {
    if (file === null) return
    state = next
    await writeState(file, next)
  }
  return {
    /** What is remembered of an earlier run; null if nothing is. */
    known: restart ? null : found,

    /**
     * @returns the id of the replay: the one of an unfinished earlier run, also with `restart`, or else a new one.
     * @throws ReplayError `refused`, without `restart`, if the file is about another packet or target.
     */
    idOf(current: Replayed): string {
      const problem = found && otherThan(current, found)
      if (problem !== null && !restart) {
        throw new ReplayError('refused', `the state file is ${problem}; pass --restart to start over`)
      }
      return found === null || problem !== null ? randomUUID() : found.replay
    },

    /** Whether no other process can know this id. */
    isNew: (id: string): boolean => id !== found?.replay,

    /** Called before the first transaction, which may make any other remembered state wrong. */
    begin: (current: Omit<State, 'version'>): Promise<void> => remember({ version: 1, ...current }),

    async add(parts: readonly number[], places: readonly Place[]): Promise<void> {
      if (state === null) return
      await remember({ ...state, done: [...state.done, ...parts], rejected: [...state.rejected, ...places] })
    },

    async end(): Promise<void> {
      if (file !== null) await rm(file, { force: true })
    },
  }
}

export const stateSchema = z.strictObject({
  version: z.literal(1),
  /** The digest of the packet. */
  sha256: z.string(),
  generation: z.number().nullable(),
  /** A digest of the target's address, because two databases may both have no id. */
  target: z.string(),
  databaseId: z.string().nullable(),
  /** Distinguishes several replays of one packet into one target. */
  replay: z.string(),
  /** Numbers of the parts whose pairs were all committed, or refused and handed over. */
  done: z.array(z.number().int().positive()),
  /** The refused pairs of these parts. */
  rejected: z.array(z.strictObject({ part: z.number().int().positive(), pair: z.number().int().positive() })),
})

/** How far a replay has come. It holds no address and no secret. */
export type State = z.infer<typeof stateSchema>

/** Which packet is replayed, and where. */
export type Replayed = Pick<State, 'sha256' | 'generation' | 'target' | 'databaseId'>

/** The same, with the id of the replay. */
export type OneReplay = Replayed & Pick<State, 'replay'>

export const targetHash = (url: string, database: string | null): string =>
  createHash('sha256')
    .update(JSON.stringify([url, database]))
    .digest('hex')

/**
 * @returns the state, or null without a file.
 * @throws ReplayError `refused` if the file cannot be read, or holds no state of a replay.
 */
async function readState(file: string): Promise<State | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new ReplayError('refused', `the state file ${file} cannot be read (${error.code}); name another file`)
  })
  if (text === null) return null
  try {
    return stateSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new ReplayError('refused', `${file} is not a state file of a replay; name another file`, { cause })
  }
}

/** @throws ReplayError `failed` if the file cannot be written: the disk may be full, or another replay may use it */
async function writeState(file: string, state: State): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeWhole(file, `${JSON.stringify(state)}\n`)
  } catch (cause) {
    const problem = `cannot be written (${(cause as NodeJS.ErrnoException).code})`
    const rest = 'what was replayed stays, and the same command continues when it can'
    throw new ReplayError('failed', `the state file ${file} ${problem}; ${rest}`, { cause })
  }
}

/** Says to which other packet or target the state belongs; null if it belongs to this one. */
export function otherThan(current: Replayed, known: Replayed): string | null {
  if (known.target !== current.target) return 'of another target'
  if (known.databaseId !== current.databaseId) return `of another database (id ${known.databaseId})`
  if (known.generation !== current.generation) return `of another generation of the packet (${known.generation})`
  return known.sha256 === current.sha256 ? null : 'of another packet'
}

import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Place } from '../../../shared/packet/parts/parse-part.ts'
import { ReplayError } from '../errors.ts'
import { otherThan, type Replayed, readState, type State, writeState } from './state-file.ts'

/**
 * Remembers in a file which parts are done; without a file, nothing. `restart` ignores which parts the file calls done.
 */
export async function openResume(file: string | null, restart: boolean) {
  const found = file === null ? null : await readState(file, restart)
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

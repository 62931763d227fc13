import { randomUUID } from 'node:crypto'
import type { Place } from '../../../shared/packet/parts/parse-part.ts'
import { ReplayError } from '../errors.ts'
import { otherThan, type Replayed, readState, removeState, type State, writeState } from './state-file.ts'

/** Remembers in a file which parts are done. */
export interface Resume {
  /** What is remembered of an earlier run; null if nothing is. */
  known: State | null
  /**
   * @returns the id of the replay: the one of an unfinished earlier run, also with `restart`, or else a new one.
   * @throws ReplayError `refused`, without `restart`, if the file is about another packet or target.
   */
  idOf(current: Replayed): State['replay']
  /** Called before the first transaction, which may make any other remembered state wrong. */
  begin(current: Omit<State, 'version'>): Promise<void>
  add(done: readonly number[], rejected: readonly Place[]): Promise<void>
  end(): Promise<void>
}

/** Without a state file nothing is remembered. `restart` ignores which parts the file calls done. */
export async function openResume(file: string | null, restart: boolean): Promise<Resume> {
  const found = file === null ? null : await readState(file, restart)
  let state: State | null = null
  const remember = async (next: State) => {
    if (file === null) return
    state = next
    await writeState(file, next)
  }
  return {
    known: restart ? null : found,
    idOf(current) {
      const problem = found && otherThan(current, found)
      if (problem !== null && !restart) {
        throw new ReplayError('refused', `the state file is ${problem}; pass --restart to start over`)
      }
      return found === null || problem !== null ? randomUUID() : found.replay
    },
    begin: (current) => remember({ version: 1, ...current }),
    async add(parts, places) {
      if (state === null) return
      await remember({ ...state, done: [...state.done, ...parts], rejected: [...state.rejected, ...places] })
    },
    async end() {
      if (file !== null) await removeState(file)
    },
  }
}

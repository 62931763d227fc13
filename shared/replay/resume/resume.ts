import type { Place } from '../pair.ts'
import type { Connection } from '../run/connection.ts'
import type { PacketSource } from '../source/packet-source.ts'
import { checkDrawn, type DrawSettings } from './drawn.ts'
import { readState, removeState, requireSame, type State, writeState } from './state-file.ts'

/** Remembers in a file which parts are done. */
export interface Resume {
  /** Parts that were done before, by number. */
  done: readonly number[]
  /** Pairs of these parts that the target refused. */
  rejected: readonly Place[]
  /** Takes up the state, or begins a new one. @throws ReplayError `refused` if the state does not fit. */
  begin(connection: Connection, current: Omit<State, 'version' | 'done' | 'rejected'>): Promise<void>
  add(done: readonly number[], rejected: readonly Place[]): Promise<void>
  end(): Promise<void>
}

/** Without a state file nothing is remembered. `restart` ignores what the file says. */
export async function openResume(
  file: string | null,
  restart: boolean,
  source: PacketSource,
  settings: DrawSettings,
  signal: AbortSignal,
): Promise<Resume> {
  const known = file === null ? null : await readState(file, restart)
  const { done, rejected } = known ?? { done: [], rejected: [] }
  let state: State | null = null
  return {
    done,
    rejected,
    async begin(connection, current) {
      state = { version: 1, ...current, done, rejected }
      if (known === null) {
        // What it says is no longer true as soon as the first transaction has begun.
        if (file !== null) await removeState(file)
        return
      }
      requireSame(known, state)
      await checkDrawn(connection, source, known, settings, signal)
    },
    async add(parts, places) {
      if (file === null || state === null) return
      state = { ...state, done: [...state.done, ...parts], rejected: [...state.rejected, ...places] }
      await writeState(file, state)
    },
    async end() {
      if (file !== null) await removeState(file)
    },
  }
}

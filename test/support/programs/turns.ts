import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/**
 * Programs that are started with `env` measure how much processor time each turn of their event loop takes. Unlike the
 * time that passes, this does not depend on what else the machine does.
 */
export function measuredTurns() {
  const directory = mkdtempSync(join(tmpdir(), 'turns-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  return {
    env: {
      NODE_OPTIONS: `--import ${new URL('measure-turns.ts', import.meta.url)}`,
      TURNS_DIRECTORY: directory,
    },
    /** The longest turn of a program since a time (epoch milliseconds), in milliseconds of processor time. */
    longest(pid: number, since: number): number {
      // The program makes the file when it starts.
      const lines = readFileSync(join(directory, String(pid)), 'utf8')
        .split('\n')
        .slice(0, -1)
      const turns = lines.map((line) => line.split(' ').map(Number) as [number, number])
      return Math.max(0, ...turns.filter(([endedAt]) => endedAt >= since).map(([, took]) => took))
    },
  }
}

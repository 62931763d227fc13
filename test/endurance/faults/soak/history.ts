import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const directory = join(import.meta.dirname, '../../../../.local/soak')

declare module 'vitest' {
  interface ProvidedContext {
    soak: Partial<{ minutes: number; seed: number; sentinels: boolean }>
  }
}

/** A record of a soak, as JSON lines, for analysing failures. */
export interface History {
  file: string
  note(what: string, more?: object): void
  /** Number of entries by name. */
  counts(): Record<string, number>
  /** Stores the programs' logs next to the history. */
  keepLogs(logs: string): void
}

export function openHistory(seed: number): History {
  const file = join(directory, `seed-${seed}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  const started = performance.now()
  const counts = new Map<string, number>()
  return {
    file,
    note(what, more = {}) {
      counts.set(what, (counts.get(what) ?? 0) + 1)
      const seconds = ((performance.now() - started) / 1_000).toFixed(2)
      appendFileSync(file, `${JSON.stringify({ seconds, what, ...more })}\n`)
    },
    counts: () => Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b))),
    keepLogs: (logs) => writeFileSync(file.replace(/jsonl$/, 'log'), logs),
  }
}

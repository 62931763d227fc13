import { setTimeout as sleep } from 'node:timers/promises'
import type { dryRun } from '../../../shared/publish/dry-run.ts'

/** The body of a dry run's answer. */
export type DryRun = Omit<Awaited<ReturnType<typeof dryRun>>, 'sample'> & {
  wouldConflict: boolean | null
  sample: { statement: string; parameters: Record<string, unknown>; metadata: null }[]
}

/**
 * Sends a dry run until no other is under way. A token may have one at a time, and test files that run together share
 * a token. @throws Error after a minute
 */
export async function inTurn<Answer extends { status: number }>(send: () => Promise<Answer>): Promise<Answer> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
    const answer = await send()
    if (answer.status !== 429) return answer
  }
  throw new Error('other dry runs of the token took a minute')
}

import type { dryRun } from '../../../shared/publish/dry-run.ts'

/** The body of a dry run's answer. */
export type DryRun = Omit<Awaited<ReturnType<typeof dryRun>>, 'sample'> & {
  wouldConflict: boolean | null
  sample: { statement: string; parameters: Record<string, unknown>; metadata: null }[]
}

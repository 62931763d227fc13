import { AppError, caused } from './app-error.ts'

/** Why a packet cannot be the base of another. Contract 4.23. */
export const unusableBase = (fileName: string, problem: string) =>
  new AppError(409, 'unusableBase', `base: the packet "${fileName}" ${problem}`)

/** @param counts how many nodes, or relationships, of how many */
export const tooManyDeletions = (counts: string, share: number) =>
  new AppError(
    409,
    'tooManyDeletions',
    `deleteMissing: ${counts} of the base are missing, more than ${Math.round(share * 1_000) / 10} %; a larger atMost allows it`,
  )
export const undeletable = (what: string) =>
  new AppError(422, 'undeletable', `deleteMissing: no statement can find ${what}`)

/** Another worker may have space, so the job runs again. */
export const noScratchSpace = caused(
  503,
  'noScratchSpace',
  'the worker has no scratch space for asBase or base: its TMPDIR is full, or cannot be written',
  { retryable: true },
)

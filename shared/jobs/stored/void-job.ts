import { AppError } from '../../errors/app-error.ts'
import * as errors from '../../errors/catalogue.ts'
import type { Generations } from '../../storage/generations.ts'
import { packetName, partsOf } from '../../storage/keys.ts'
import { voided } from '../../storage/manifest.ts'
import type { Storage } from '../../storage/storage.ts'
import type { JobRecord } from '../job.ts'
import type { JobOrder } from '../order.ts'

export type Voiding = Pick<Storage, 'store' | 'generations'>

export type VoidableJob = Pick<JobRecord, 'id' | 'orgName' | 'fileName'> & { order: Pick<JobOrder, 'latestBefore'> }

/**
 * Ensures that no run of a job commits parts that it has stored. A run may have begun to commit although a Redis that
 * was rolled back does not show it. @returns false when a run has already committed.
 */
export async function voidStoredParts({ store, generations }: Voiding, job: VoidableJob): Promise<boolean> {
  const hasParts = await store.hasAny(partsOf(packetName(job.orgName, job.fileName), job.id))
  return !hasParts || (await voidJob(generations, job))
}

/** Ensures that no run of a job can commit any more. @returns false when a run has already committed. */
export async function voidJob(generations: Generations, job: VoidableJob): Promise<boolean> {
  const { id, orgName, fileName, order } = job
  const above = order.latestBefore
  const name = packetName(orgName, fileName)
  try {
    await generations.commit(name, voided(id), {
      force: true,
      taken: () => errors.fileExists(orgName, fileName),
      above,
    })
    return (await generations.ofJob(name, id, above)) === null
  } catch (error) {
    if (error instanceof AppError && error.code === 'jobVoided') return true
    throw error
  }
}

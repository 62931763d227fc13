import type { Compression } from '../packets/compression.ts'
import type { PublishRequest } from '../publish/request/fields.ts'
import type { JobRecord } from './record.ts'

/** A valid publish or multi, as an endpoint hands it over. */
export interface Submission extends Pick<JobRecord, 'kind' | 'orgName' | 'fileName' | 'batchSize' | 'force'> {
  requests: readonly PublishRequest[]
}

/** The `callbackUrl` of a submission, on which its sub-requests agree. */
export const callbackUrlOf = ({ requests }: Pick<Submission, 'requests'>): string | undefined =>
  requests.find(({ callbackUrl }) => callbackUrl !== undefined)?.callbackUrl

/** How the parts of a submission are stored, on which its sub-requests agree. */
export const compressionOf = ({ requests }: Pick<Submission, 'requests'>): Compression =>
  requests.find(({ compression }) => compression !== undefined)?.compression ?? 'none'

import type { PublishRequest } from '../request/fields.ts'
import type { JobOrder } from './order.ts'
import type { JobRecord } from './record.ts'

/** A valid publish or multi that an endpoint submits. */
export interface Submission
  extends Pick<JobRecord, 'kind' | 'orgName' | 'fileName'>,
    Pick<JobOrder, 'batchSize' | 'force'> {
  requests: readonly PublishRequest[]
}

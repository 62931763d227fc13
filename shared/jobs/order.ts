import { type PublishRequest, publishFields } from '../request/fields.ts'
import type { Compression } from '../storage/compression.ts'

/** How a job makes its packet: fixed when the job is accepted, stored as one field of its record, handed on whole. */
export interface JobOrder {
  /** The most pairs of a part. */
  batchSize: number
  /** Whether the packet may replace one of the same name. */
  force: boolean
  /** Where the job calls back when it has ended. Neither logged nor shown. */
  callbackUrl: string | null
  /** How long the packet lives after its commit; null: for ever. */
  expiresAfterDays: number | null
  /** How the packet's parts are stored. */
  compression: Compression
  /** Whether the job is bound to a model, which is stored next to the request. */
  bound: boolean
  /** Whether a sub-request selects nodes. A run then lists them, and how many slices the job has depends on them. */
  selects?: boolean
  /** Set if the packet is to be a base of others, or has a base itself. */
  state?: StateOrder
  /** The id of the key that hashes masked values; absent: none are hashed. */
  maskKey?: string
  /**
   * The latest generation of the packet's name at submission, 0 if there is none; the job's own will be higher. It is
   * immutable and written with the record, so a Redis that was rolled back has the right value or lacks the job.
   */
  latestBefore: number
  /**
   * When the API began to look for files of others under the name and found none, by the store's clock, epoch
   * milliseconds; absent: it did not look.
   */
  freeAt?: number
}

export interface StateOrder {
  /** The packet that the target has, as it was when the job was accepted; null: the packet is whole. */
  base: { fileName: string; generation: number } | null
  /** Which part of the nodes or relationships of the base may be deleted, 0 to 1; null: nothing is deleted. */
  deleteMissing: number | null
}

/** The order of a job that asks for these options and otherwise takes the defaults. */
export const orderOf = (asked: Pick<JobOrder, 'batchSize' | 'force'> & Partial<JobOrder>): JobOrder => ({
  callbackUrl: null,
  expiresAfterDays: null,
  compression: 'none',
  bound: false,
  latestBefore: 0,
  ...asked,
})

/** Fields of a request that its job's order takes over. The sub-requests of a job agree on each of them. */
type OrderField = 'callbackUrl' | 'expiresAfterDays' | 'compression' | 'asBase' | 'base' | 'deleteMissing'

/** The value of the field in the first sub-request that has it. */
export const askedFor = <F extends OrderField>(requests: readonly PublishRequest[], field: F): PublishRequest[F] =>
  requests.find((request) => request[field] !== undefined)?.[field]

/** A sub-request without the fields that its job's order takes over. */
export function withoutOrder<R extends Partial<Record<OrderField, unknown>>>(request: R): Omit<R, OrderField> {
  const {
    callbackUrl: _,
    expiresAfterDays: __,
    compression: ___,
    asBase: ____,
    base: _____,
    deleteMissing: ______,
    ...rest
  } = request
  return rest
}

const { credentials: _, ...inClear } = withoutOrder(publishFields)
/** The fields of a sub-request as stored: `secret` stands for the credentials. */
export const storedFields: ReadonlySet<string> = new Set([...Object.keys(inClear), 'secret'])

import type { PublishFields } from '../../shared/request/fields.ts'
import { usageError } from '../exit.ts'
import { number } from '../format.ts'

/** What the service takes in one request. A test compares these numbers with its own. */
export const requestLimits = {
  ids: 500,
  subRequests: 10_000,
  bytes: 32 * 1024 * 1024,
  /** Without the first two of each object. */
  keys: 1_000_000,
}
const freeKeysOfObject = 2

/**
 * Checks that the service will take so many sub-requests in one request, which otherwise it would say after it has
 * received all of them. @param givenIds how many ids the sub-requests have from `--ids`; null without this option
 * @throws Failure (usage) that says how many ids fit
 */
export function requireFitting(requests: readonly PublishFields[], givenIds: number | null): void {
  const { subRequests, keys } = requestLimits
  // The brackets around the list; each sub-request is followed by a comma or the last bracket.
  let bytes = 1
  let keysSoFar = 0
  for (const [index, request] of requests.entries()) {
    const before = bytes
    bytes += bytesOf(request) + 1
    keysSoFar += countedKeys(request)
    if (bytes <= requestLimits.bytes && keysSoFar <= keys && index < subRequests) continue
    if (givenIds === null) throw tooMany(index, requests.length)
    const isFull = keysSoFar > keys || index >= subRequests
    const room = isFull ? 0 : idsWithin(requestLimits.bytes - before - 1, request)
    throw tooManyIds(index * requestLimits.ids + room, givenIds)
  }
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** How many of the first ids of a sub-request leave it at most so many bytes long. */
function idsWithin(room: number, request: PublishFields): number {
  const ids = (request.originIds ?? []) as readonly string[]
  let bytes = bytesOf({ ...request, originIds: [] })
  for (const [index, id] of ids.entries()) {
    bytes += bytesOf(id) + (index === 0 ? 0 : 1)
    if (bytes > room) return index
  }
  return ids.length
}

function countedKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inside = Object.values(value).reduce((sum: number, one) => sum + countedKeys(one), 0)
  return Array.isArray(value) ? inside : inside + Math.max(0, Object.keys(value).length - freeKeysOfObject)
}

const remedy = 'publish the others as further packets, each under a name of its own'

const tooManyIds = (fitting: number, all: number) =>
  usageError(
    fitting === 0
      ? '--ids: the request leaves no room for an id'
      : `--ids: the first ${number.format(fitting)} of ${number.format(all)} ids fit into one packet; ${remedy}`,
  )

const tooMany = (fitting: number, all: number) =>
  usageError(
    fitting === 0
      ? 'the first request is larger than the service takes, 32 MiB and 1,000,000 keys; give it fewer ids'
      : `the first ${number.format(fitting)} of ${number.format(all)} sub-requests fit into one packet; ${remedy}`,
  )

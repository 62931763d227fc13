import type { Packets } from '../../../shared/storage/packets.ts'
import type { ApiContext } from '../../context.ts'
import type { Input } from '../endpoint.ts'
import { listMemory } from '../list-memory.ts'

/**
 * Reads of a request that is not long. Beyond this limit a token with another long request gets `429 tooManyAtOnce`. To
 * list ten thousand files takes fewer.
 */
const ordinaryReads = 100
/** How many reads one read of briefs of jobs counts as: a request for more than 1,200 jobs is long. */
const weightOfBriefs = 16
/**
 * Bytes of the names in one answer. Beyond this limit the page ends early, with `next`; without `limit` the answer is
 * `400 invalidRequest`.
 */
export const mostNameBytes = 16 * 1024 * 1024
/** The memory for each byte of the names and for each name, until the answer is sent. */
const [heldBytes, heldForEach] = [4, 100]
/** Texts of a search that is not long. Beyond this limit a token with another long request gets `429 tooManyAtOnce`. */
const ordinaryTexts = 100

/**
 * The context of a request that changes nothing. No read begins after the client has left. A token may run one long
 * request at a time. @throws clientGone (499), tooManyAtOnce (429) from each read
 */
export function readingFor(context: ApiContext, input: Pick<Input, 'signal' | 'principal'>): ApiContext {
  const { signal, principal } = input
  const { records, models, longReads } = context
  let [reads, isLong] = [0, false]
  const isWanted = () => signal.throwIfAborted()
  function check(weight = 1): void {
    isWanted()
    reads += weight
    if (isLong || reads <= ordinaryReads) return
    signal.addEventListener('abort', longReads(principal.identity, 1), { once: true })
    isLong = true
  }
  const briefsOf: typeof records.briefsOf = async (ids) => {
    check(weightOfBriefs)
    return records.briefsOf(ids)
  }
  const readMany: typeof records.readMany = async (ids) => {
    isWanted()
    return records.readMany(ids)
  }
  const storage = context.checkedBy(() => check())
  const page: Packets['page'] = async (orgName, prefixes, asked) => {
    if ((asked.holding?.length ?? 0) > ordinaryTexts) check(ordinaryReads + 1)
    const held = listMemory(context, input)(0)
    const reserve = (bytes: number) => held.add(heldBytes * bytes + heldForEach)
    return storage.packets.page(orgName, prefixes, {
      ...asked,
      mostBytes: mostNameBytes,
      reserve,
      interrupted: isWanted,
    })
  }
  return {
    ...context,
    ...storage,
    packets: { ...storage.packets, page },
    records: { ...records, briefsOf, readMany },
    models: models?.checkedBy(isWanted) ?? null,
  }
}

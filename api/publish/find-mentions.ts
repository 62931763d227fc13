import { z } from 'zod'
import { orgName } from '../../packet/names.ts'
import { type FoundMentions, mentionsIn } from '../../shared/publish/state/mentions.ts'
import { ids } from '../../shared/request/fields.ts'
import { maxIds } from '../../shared/request/rules.ts'
import type { Generation } from '../../shared/storage/generations.ts'
import { generationsBelow, packetName } from '../../shared/storage/keys.ts'
import { packetsBelow } from '../../shared/storage/listing/listed-packets.ts'
import { parsePosition, positionText } from '../../shared/storage/listing/position.ts'
import { unlessUnreadable } from '../../shared/storage/manifest.ts'
import { type Mentions, mentions } from '../../wire/mentions.ts'
import { orgInPath } from '../http/access.ts'
import { zodBody } from '../http/body/zod-body.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { listMemory } from '../http/list-memory.ts'
import { once, wholeNumber } from '../http/query.ts'

/** Packets of one page of a search for mentions. Beyond this limit the answer is `400 invalidRequest`. */
const mostPackets = 1_000
/** Packets of such a page without `limit`. Beyond this limit `next` leads to the following page. */
const packetsByDefault = 100
/** Milliseconds after which a page ends, even if it has fewer packets. */
const pageMs = 10_000
/** Bytes of the body of a search for mentions. Beyond this limit the answer is `413 bodyTooLarge`. */
const limitBytes = 1024 * 1024
/** Bytes that a search takes: a piece of a state, compressed and not, and its keys. */
const heldBytes = 16 * 1024 * 1024

const searchedIds = ids
  .transform((given) => [...new Set(given)])
  .refine((given) => given.length > 0, 'must not be empty')
  .refine((given) => given.length <= maxIds, `must have at most ${maxIds} ids that differ`)

/** Contract 7.14. */
export const findMentions = defineEndpoint({
  method: 'post',
  path: '/1.0/publish/:orgName/mentions',
  summary: 'Find the packets of an org that name nodes by these ids',
  scope: 'publish:read',
  access: orgInPath,
  params: z.object({ orgName }),
  query: z.strictObject({ limit: wholeNumber(1, mostPackets).optional(), after: once.optional() }),
  body: zodBody(z.strictObject({ ids: searchedIds }), limitBytes, { ids: ['JFK'] }),
  answer: mentions,
  async handle(context, { params: { orgName }, query: { limit = packetsByDefault, after }, body, ...input }) {
    const { packets, generations, store } = context
    await packets.requireOrg(orgName)
    listMemory(context, input)(heldBytes)
    const from = after === undefined ? {} : { after: packetName(orgName, parsePosition(after).name) }
    const found: Mentions = { packets: [], unknown: [], next: null }
    const until = performance.now() + pageMs
    let last: string | null = null
    let seen = 0
    for await (const { name } of packetsBelow(store, [generationsBelow(`${orgName}/`)], {
      packets: limit + 1,
      ...from,
    })) {
      if (last !== null && (seen === limit || performance.now() > until)) {
        found.next = positionText({ of: 'packet', name: last, names: null })
        break
      }
      seen++
      last = name.slice(orgName.length + 1)
      const current = generations.current(name)
      const packet = await unlessUnreadable<Generation | null | 'damaged'>(current, () => 'damaged')
      if (packet === 'damaged') found.unknown.push({ fileName: last, reason: packet })
      else if (packet !== null) add(found, last, await mentionsIn(store, packet, body.ids))
    }
    return { kind: 'json', value: found }
  },
})

function add(
  { packets, unknown }: Mentions,
  fileName: string,
  { generation, ids, unknown: reason }: FoundMentions,
): void {
  if (ids.length > 0) packets.push({ fileName, generation, ids })
  if (reason !== null) unknown.push({ fileName, reason })
}

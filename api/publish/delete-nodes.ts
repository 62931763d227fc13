import { z } from 'zod'
import { defaultSyntax } from '../../packet/cypher/parameters.ts'
import { idText } from '../../packet/identity.ts'
import { orgName } from '../../packet/names.ts'
import type { PacketShape } from '../../packet/packet-shape.ts'
import { directContent } from '../../shared/publish/content.ts'
import { nodeDelete, parseNodeDelete } from '../../shared/publish/direct/node-delete.ts'
import { writeNodeDelete } from '../../shared/publish/direct/packet.ts'
import { identityRule } from '../../shared/request/identity.ts'
import type { MaskKey } from '../../shared/request/mask/mask-key.ts'
import { createMasking } from '../../shared/request/mask/masker.ts'
import { maskingOf } from '../../shared/request/mask/masking.ts'
import { orgInPath } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { nodeDeleteExample } from '../submission/examples.ts'
import { maskKeyFor } from '../submission/mask-key.ts'
import { storeDirectly } from '../submission/store-directly.ts'
import { returnParts } from '../unstored/return-packet.ts'

/** Seed, Publish #9; contract 7.9. */
export const deleteNodes = defineEndpoint({
  method: 'post',
  path: '/1.0/publish/:orgName/delete',
  summary: 'Make a packet that deletes nodes by id',
  scope: 'publish:write',
  access: orgInPath,
  params: z.object({ orgName }),
  body: {
    /** Bytes of the body of a delete. Beyond this limit the answer is `413 bodyTooLarge`. */
    limitBytes: 32 * 1024 * 1024,
    schema: nodeDelete,
    example: nodeDeleteExample,
    read(body) {
      const { order, issues } = parseNodeDelete(body)
      return { value: order, issues }
    },
  },
  answer: 'publish',
  answers: { 409: 'The name is taken' },
  async handle(context, { changed, params, body: { fileName, returnOnly, expiresAfterDays, compression, ...given } }) {
    const order = masked(given, maskKeyFor({ requests: [given], orgName: params.orgName }, context.config))
    const syntax = order.parameterSyntax ?? defaultSyntax
    const write = (sink: Parameters<typeof writeNodeDelete>[4]) =>
      writeNodeDelete(order, order.ids, order.originIds, syntax, sink)
    if (returnOnly) return returnParts(context, write)
    const contentOf = (shape: PacketShape) => directContent(syntax, [order], shape, order.mappedIndices)
    const packet = { orgName: params.orgName, fileName, expiresAfterDays, compression, contentOf }
    return storeDirectly(context, changed, packet, write)
  },
})

type Order = Pick<
  ReturnType<typeof parseNodeDelete>['order'],
  'label' | 'idProperty' | 'mappedIndices' | 'mask' | 'ids' | 'originIds' | 'parameterSyntax'
>

/** With the ids that nodes have in masked packets. Contract 4.24. */
function masked(order: Order, key: MaskKey | null): Order {
  const { label, idProperty, mappedIndices } = order
  const identity = identityRule({ ...mappedIndices, [label]: idProperty })
  const masker = createMasking(maskingOf(order), key?.key ?? null)({ identity, relationshipIdField: null })
  if (masker === undefined) return order
  const ids = order.ids.map((id) => masker.id(label, idProperty, id))
  return { ...order, ids, originIds: ids.map(idText) }
}

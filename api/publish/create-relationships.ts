import { z } from 'zod'
import { defaultSyntax } from '../../packet/cypher/parameters.ts'
import { orgName } from '../../packet/names.ts'
import type { PacketShape } from '../../packet/packet-shape.ts'
import { directContent } from '../../shared/publish/content.ts'
import { writeRelationshipCreates } from '../../shared/publish/direct/packet.ts'
import { relationshipCreates } from '../../shared/publish/direct/relationship-creates.ts'
import { orgInPath } from '../http/access.ts'
import { zodBody } from '../http/body/zod-body.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { relationshipCreatesExample } from '../submission/examples.ts'
import { storeDirectly } from '../submission/store-directly.ts'

/** Bytes of the body of createrelationships. Beyond this limit the answer is `413 bodyTooLarge`. */
const limitBytes = 32 * 1024 * 1024

/** Seed, Publish #10; contract 7.10. */
export const createRelationships = defineEndpoint({
  method: 'post',
  path: '/1.0/publish/:orgName/createrelationships',
  summary: 'Make a packet that draws relationships between existing nodes',
  scope: 'publish:write',
  access: orgInPath,
  params: z.object({ orgName }),
  body: zodBody(relationshipCreates, limitBytes, relationshipCreatesExample),
  answer: 'publish',
  answers: { 409: 'The name is taken' },
  async handle(context, { changed, params, body: { fileName, ids, expiresAfterDays, compression, ...order } }) {
    const syntax = order.parameterSyntax ?? defaultSyntax
    const contentOf = (shape: PacketShape) => directContent(syntax, [order.start, order.end], shape)
    const packet = { orgName: params.orgName, fileName, expiresAfterDays, compression, contentOf }
    return storeDirectly(context, changed, packet, (sink) => writeRelationshipCreates(order, ids, syntax, sink))
  },
})

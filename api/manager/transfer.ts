import { z } from 'zod'
import { versionFields } from '../../shared/models/fields.ts'
import { grnOf } from '../../shared/models/grn.ts'
import { managerVersion } from '../../shared/models/resources.ts'
import { textOf } from '../../shared/models/transfer.ts'
import { checkedDocument } from '../../shared/models/version-document.ts'
import { exported } from '../../wire/model.ts'
import { managerBody } from './bodies.ts'
import { managerEndpoint } from './manager-endpoint.ts'
import { recordEndpoint } from './record-endpoint.ts'
import { byItsGrn } from './selected-record.ts'
import { documentBody, imported } from './version-document.ts'

const params = { managerVersionGrn: grnOf('managerversion') }

/** Additive: whole versions. Contract 10, whole versions. */
export const transfer = [
  managerEndpoint('get', 'export/:managerVersionGrn', {
    summary: 'Read a whole manager version as one document',
    params,
    gives: exported,
    answer: async (models, { params }) => textOf(await models.exported(byItsGrn(params))),
  }),
  managerEndpoint('post', 'import/:managerVersionGrn', {
    summary: 'Make and change elements of a manager version, as a document says',
    params,
    action: 'import',
    body: documentBody,
    gives: z.object({ imported }),
    async answer(models, { params, body: { properties, nodeTypes }, principal }) {
      const document = await checkedDocument({ properties: properties ?? [], nodeTypes: nodeTypes ?? [] })
      return { imported: await models.imported(byItsGrn(params), document, principal.name) }
    },
  }),
  recordEndpoint('post', 'copy/:managerVersionGrn', {
    summary: 'Copy a manager version, as a new version of its manager',
    params,
    action: 'copy',
    body: managerBody(versionFields, { name: 'films-copy' }),
    of: managerVersion,
    answer: (models, { params, body, principal }) => models.copied(byItsGrn(params), body.name ?? null, principal.name),
  }),
]

import { name } from '../../shared/models/fields.ts'
import { grnOf } from '../../shared/models/grn.ts'
import { managerVersion, type Resource, type ResourceFields } from '../../shared/models/resources.ts'
import { byKey, byName } from '../../shared/models/selector.ts'
import type { BodyReader } from '../http/endpoint.ts'
import { listEndpoint } from './list-endpoint.ts'
import { recordEndpoint } from './record-endpoint.ts'
import { byItsGrn, change, read } from './selected-record.ts'

type Keyed = ResourceFields & { key: string }
const managerVersionGrn = grnOf('managerversion')
/** A property or a node type by its key. */
export const inVersion = { managerVersionGrn, name }

/** Endpoints common to properties and node types, which both belong to a version and have a key. */
export function elementEndpoints(of: Resource, creation: BodyReader<Keyed>, changes: BodyReader<ResourceFields>) {
  const { one, many, noun } = of
  const keyed = {
    params: inVersion,
    select: (at: { managerVersionGrn: string; name: string }) => byKey(of, at.managerVersionGrn, at.name),
  }
  return [
    recordEndpoint('post', `${one}/:managerVersionGrn`, {
      summary: `Add a ${noun} to a manager version`,
      params: { managerVersionGrn },
      body: creation,
      of,
      answer: (models, { params, body, principal }) => models.createPart(of, byItsGrn(params), body, principal.name),
    }),
    read(`${one}/name/:managerVersionGrn/:name`, of, { summary: `Read a ${noun} by its key`, ...keyed }),
    change(`${one}/name/:managerVersionGrn/:name`, of, changes, { summary: `Change a ${noun} by its key`, ...keyed }),
    listEndpoint(`${many}/name/:managerVersionName`, {
      summary: `List the ${many} of a manager version by its name`,
      params: { managerVersionName: name },
      of,
      records: (models, params, page) => models.parts(of, byName(managerVersion, params.managerVersionName), page),
    }),
  ]
}

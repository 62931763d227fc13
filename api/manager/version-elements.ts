import * as fields from '../../shared/models/fields.ts'
import { grnOf } from '../../shared/models/grn.ts'
import { managerVersion, type Resource, type ResourceFields } from '../../shared/models/resources.ts'
import { byGrn, byKey, byName } from '../../shared/models/selector.ts'
import type { BodyReader } from '../http/endpoint.ts'
import { listEndpoint } from './list-endpoint.ts'
import { managerEndpoint } from './manager-endpoint.ts'
import { oneOf } from './record-schemas.ts'

type Keyed = ResourceFields & { key: string }
const managerVersionGrn = grnOf('managerversion')
/** A property or a node type by its key. */
export const inVersion = { managerVersionGrn, name: fields.name }

/** Endpoints common to properties and node types, which both belong to a version and have a key. */
export function elementEndpoints(resource: Resource, creation: BodyReader<Keyed>, change: BodyReader<ResourceFields>) {
  const { one, many, noun } = resource
  const gives = oneOf(resource)
  const keyed = (at: { managerVersionGrn: string; name: string }) => byKey(resource, at.managerVersionGrn, at.name)
  return [
    managerEndpoint('post', `${one}/:managerVersionGrn`, {
      summary: `Add a ${noun} to a manager version`,
      params: { managerVersionGrn },
      body: creation,
      gives,
      async answer(models, { params, body, principal }) {
        const version = byGrn(managerVersion, params.managerVersionGrn)
        return { [one]: await models.createPart(resource, version, body, principal.name) }
      },
    }),
    managerEndpoint('get', `${one}/name/:managerVersionGrn/:name`, {
      summary: `Read a ${noun} by its key`,
      params: inVersion,
      gives,
      answer: async (models, { params }) => ({ [one]: await models.find(keyed(params)) }),
    }),
    managerEndpoint('put', `${one}/name/:managerVersionGrn/:name`, {
      summary: `Change a ${noun} by its key`,
      params: inVersion,
      body: change,
      gives,
      answer: async (models, { params, body, ...change }) => ({
        [one]: await models.update(keyed(params), body, change),
      }),
    }),
    listEndpoint(`${many}/name/:managerVersionName`, {
      summary: `List the ${many} of a manager version by its name`,
      params: { managerVersionName: fields.name },
      of: resource,
      records: (models, { managerVersionName }, page) =>
        models.parts(resource, byName(managerVersion, managerVersionName), page),
    }),
  ]
}

import * as fields from '../../shared/manager/fields.ts'
import { grnOf } from '../../shared/manager/grn.ts'
import { type Fields, managerVersion, type Resource } from '../../shared/manager/resources.ts'
import { byGrn, byKey, byName } from '../../shared/manager/selector.ts'
import type { BodyReader } from '../endpoint.ts'
import { managerEndpoint } from './manager-endpoint.ts'
import { listOf, oneOf } from './record-schemas.ts'

const managerVersionGrn = grnOf('managerversion')
/** A name in a path where a grn may stand too. */
export const inVersion = { managerVersionGrn, name: fields.name }

/** What can be done to properties and to node types alike: they are kept in a version under a key. */
export function elementEndpoints(
  resource: Resource,
  creation: BodyReader<Fields & { key: string }>,
  change: BodyReader<Fields>,
) {
  const { one, many, noun, grnType } = resource
  const gives = oneOf(resource)
  const wrapped = async (record: Promise<object>) => ({ [one]: await record })
  return [
    managerEndpoint('post', `${one}/:managerVersionGrn`, {
      summary: `Add a ${noun} to a manager version`,
      params: { managerVersionGrn },
      body: creation,
      gives,
      answer: (models, { params, body, principal }) =>
        wrapped(models.createPart(resource, byGrn(managerVersion, params.managerVersionGrn), body, principal.name)),
    }),
    managerEndpoint('get', `${one}/:grn`, {
      summary: `Read a ${noun}`,
      params: { grn: grnOf(grnType) },
      gives,
      answer: (models, { params }) => wrapped(models.find(byGrn(resource, params.grn))),
    }),
    managerEndpoint('get', `${one}/name/:managerVersionGrn/:name`, {
      summary: `Read a ${noun} by its key`,
      params: inVersion,
      gives,
      answer: (models, { params }) => wrapped(models.find(byKey(resource, params.managerVersionGrn, params.name))),
    }),
    managerEndpoint('put', `${one}/name/:managerVersionGrn/:name`, {
      summary: `Change a ${noun} by its key`,
      params: inVersion,
      body: change,
      gives,
      answer: (models, { params, body, ...change }) =>
        wrapped(models.update(byKey(resource, params.managerVersionGrn, params.name), body, change)),
    }),
    managerEndpoint('get', `${many}/name/:managerVersionName`, {
      summary: `List the ${many} of a manager version by its name`,
      params: { managerVersionName: fields.name },
      gives: listOf(resource),
      answer: async (models, { params }) => ({
        [many]: await models.parts(resource, byName(managerVersion, params.managerVersionName)),
      }),
    }),
  ]
}

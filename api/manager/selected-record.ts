import { type ResourceFields, resourceOf } from '../../shared/models/resources.ts'
import { byGrn, type Selector } from '../../shared/models/selector.ts'
import type { BodyReader } from '../http/endpoint.ts'
import { managerEndpoint, type Params, type Shape } from './manager-endpoint.ts'
import { type Kinds, recordEndpoint } from './record-endpoint.ts'
import { nothing } from './record-schemas.ts'

/** Endpoints for the record that the path selects. */

interface Selected<Of extends Shape> {
  summary: string
  params: Of
  select(params: Params<Of>): Selector
}

/** Selects the record whose grn is the only parameter of the path. */
export function byItsGrn(params: Readonly<Record<string, string>>): Selector {
  const grn = Object.values(params)[0] as string
  return byGrn(resourceOf(grn), grn)
}

export const read = <Of extends Shape>(path: string, of: Kinds, { select, ...operation }: Selected<Of>) =>
  recordEndpoint('get', path, { ...operation, of, answer: (models, { params }) => models.find(select(params)) })

export const change = <Of extends Shape>(
  path: string,
  of: Kinds,
  body: BodyReader<ResourceFields>,
  { select, ...operation }: Selected<Of>,
) =>
  recordEndpoint('put', path, {
    ...operation,
    of,
    body,
    answer: (models, { params, body, ...how }) => models.update(select(params), body, how),
  })

export const remove = <Of extends Shape>(path: string, { select, ...operation }: Selected<Of>) =>
  managerEndpoint('delete', path, {
    ...operation,
    gives: nothing,
    // An empty object, for clients that parse every response.
    answer: async (models, { params, ifMatch }) => models.remove(select(params), ifMatch).then(() => ({})),
  })

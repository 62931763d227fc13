import type { ModelRecord } from '../../shared/models/records.ts'
import type { Models } from '../../shared/models/repository.ts'
import { type Resource, resourceOf } from '../../shared/models/resources.ts'
import type { BodyReader, Endpoint, Input } from '../http/endpoint.ts'
import { managerEndpoint, type Params, type Shape } from './manager-endpoint.ts'
import { oneOf } from './record-schemas.ts'

/** The kinds of records that an endpoint may answer. */
export type Kinds = Resource | readonly Resource[]

interface OnRecord<Of extends Shape, Body> {
  summary: string
  params: Of
  action?: 'copy'
  body?: BodyReader<Body>
  of: Kinds
  answer(models: Models, input: Input<Params<Of>, unknown, Body>): Promise<ModelRecord>
}

/** An endpoint that answers one record. */
export const recordEndpoint = <Of extends Shape, Body>(
  method: Endpoint['method'],
  path: string,
  { of, answer, ...operation }: OnRecord<Of, Body>,
) =>
  managerEndpoint(method, path, {
    ...operation,
    gives: oneOf(of),
    hasETag: true,
    async answer(models, input) {
      const record = await answer(models, input)
      return { [resourceOf(record.grn).one]: record }
    },
  })

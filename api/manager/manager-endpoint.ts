import { z } from 'zod'
import * as errors from '../../shared/errors/catalogue.ts'
import type { Models } from '../../shared/manager/repository.ts'
import { noOrg } from '../access.ts'
import { type BodyReader, defineEndpoint, type Endpoint, type Input } from '../endpoint.ts'
import { zodBody } from '../zod-body.ts'

interface Operation<Shape extends z.ZodRawShape, Body> {
  summary: string
  params: Shape
  body?: BodyReader<Body>
  /** What `answer` gives, as documented. */
  gives: z.ZodType
  answer(models: Models, input: Input<z.output<z.ZodObject<Shape>>, unknown, Body>): Promise<object>
}

/**
 * An endpoint of the manager area, on a path below `/1.0/manager/`. It answers JSON and needs the scope `manager:read` for
 * GET, `manager:write` for all else.
 */
export const managerEndpoint = <Shape extends z.ZodRawShape, Body>(
  method: Endpoint['method'],
  path: string,
  { summary, params, body, gives, answer }: Operation<Shape, Body>,
): Endpoint =>
  defineEndpoint({
    method,
    path: `/1.0/manager/${path}`,
    summary,
    scope: method === 'get' ? 'manager:read' : 'manager:write',
    access: noOrg,
    params: z.object(params),
    query: z.strictObject({}),
    ...(body === undefined ? {} : { body }),
    takes: method === 'put' || method === 'delete' ? ['If-Match'] : [],
    answer: gives,
    answers: answersTo[method],
    async handle({ models }, input) {
      return { kind: 'json', value: await answer(configured(models), input) }
    },
  })

const answersTo = {
  get: {},
  post: { 409: 'The name or key is taken' },
  put: { 409: 'The key is taken', 412: 'The record has another enver' },
  delete: { 412: 'The record has another enver' },
}

/** @throws managerNotConfigured (503) */
export function configured(models: Models | null): Models {
  if (models === null) throw errors.managerNotConfigured()
  return models
}

export const managerBody = <Body>(schema: z.ZodType<Body>, example: object): BodyReader<Body> =>
  zodBody(schema, 1024 * 1024, example)

/** What a delete answers: an empty object, for clients that parse every answer. */
export const empty = () => ({})

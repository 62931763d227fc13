import type { z } from 'zod'
import { endpoints } from '../../../api/endpoints.ts'
import type { Endpoint } from '../../../api/http/endpoint.ts'
import { grnTypes } from '../../../shared/models/grn.ts'

/** Values of path parameters by name. Other parameters get a sample grn or word that matches their schema. */
export type Names = Readonly<Record<string, string>>

export interface SampleRequest {
  method: string
  path: string
  /** The documented example. */
  body: object | undefined
}

/** Ids that do not exist. */
const someGrns = [...grnTypes, 'org'].map((type) => `grn:gg:${type}:${'0'.repeat(44)}`)
const words = ['defaultFull', ...someGrns, 'nothing']

const methodOf = ({ method }: Endpoint) => method.toUpperCase()

function valueFor(parameter: string, schema: z.ZodType, names: Names): string {
  const value = names[parameter] ?? words.find((word) => schema.safeParse(word).success)
  if (value === undefined) throw new Error(`no value is known for the parameter ${parameter}`)
  return value
}

/** A valid request for an endpoint; orgs and files are taken from `names`. */
export function requestTo({ path, params, body, ...endpoint }: Endpoint, names: Names = {}): SampleRequest {
  const schemas = (params as z.ZodObject | undefined)?.shape ?? {}
  const filled = path.replaceAll(/:(\w+)/g, (_, parameter: string) =>
    encodeURIComponent(valueFor(parameter, schemas[parameter] as z.ZodType, names)),
  )
  return {
    method: methodOf(endpoint as Endpoint),
    path: filled,
    body: body && (JSON.parse(JSON.stringify(body.example), (key, value) => names[key] ?? value) as object),
  }
}

/** For `test.each`: every endpoint, titled by method and path. */
export const everyEndpoint = endpoints.map((endpoint) => [`${methodOf(endpoint)} ${endpoint.path}`, endpoint] as const)

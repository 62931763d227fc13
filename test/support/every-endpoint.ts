import type { z } from 'zod'
import { endpoints } from '../../api/endpoints.ts'
import type { Endpoint } from '../../api/http/endpoint.ts'
import { grnTypes } from '../../shared/manager/grn.ts'

/** What a request is made for: values of path parameters by name. Others get a grn or a word of the kind they take. */
export type Names = Readonly<Record<string, string>>

export interface SampleRequest {
  method: string
  path: string
  /** The example of the document. */
  body: object | undefined
}

/** Ids that nothing has. */
const someGrns = [...grnTypes, 'org'].map((type) => `grn:gg:${type}:${'0'.repeat(44)}`)
const words = ['defaultFull', ...someGrns, 'nothing']

const methodOf = ({ method }: Endpoint) => method.toUpperCase()

function valueFor(parameter: string, schema: z.ZodType, names: Names): string {
  const value = names[parameter] ?? words.find((word) => schema.safeParse(word).success)
  if (value === undefined) throw new Error(`no value is known for the parameter ${parameter}`)
  return value
}

/** A request that breaks no rule; orgs and files are those of `names`. */
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

/** For `test.each`: every endpoint by its method and path. */
export const everyEndpoint = endpoints.map((endpoint) => [`${methodOf(endpoint)} ${endpoint.path}`, endpoint] as const)

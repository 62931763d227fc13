/** A JSON schema, as far as the OpenAPI document uses it. */
interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}

type Content = Record<string, { schema: Schema }>

interface Operation {
  summary: string
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { content?: Content }>
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const nameOf = (ref: string) => ref.split('/').at(-1) as string
const keyOf = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`)
const comment = (text: string | undefined) => (text === undefined ? '' : `/** ${text} */\n`)
const union = (types: string[]) => [...new Set(types)].join(' | ')

/**
 * The TypeScript types of some paths of an OpenAPI document, in the shape that openapi-fetch takes, and of the schemas
 * that they use, each the text of a module. All errors are one `default`. openapi-typescript does not run with
 * TypeScript 7, which has no JavaScript API.
 */
export function apiTypes({ paths, components }: OpenApi, isWanted: (path: string) => boolean) {
  const named = new Set<string>()

  function typeOf(schema: Schema): string {
    if (schema.$ref) {
      named.add(nameOf(schema.$ref))
      return nameOf(schema.$ref)
    }
    if (schema.const !== undefined) return literal(schema.const)
    if (schema.enum) return union(schema.enum.map(literal))
    if (schema.anyOf && !schema.properties) return union(schema.anyOf.map(typeOf))
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })))
    if (schema.type === 'array') return `(${typeOf(schema.items ?? {})})[]`
    if (schema.type === 'object') return objectOf(schema)
    return (
      { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[schema.type ?? ''] ??
      'unknown'
    )
  }

  const literal = (value: unknown) => JSON.stringify(value)

  function objectOf({ properties, required = [], additionalProperties: others }: Schema): string {
    if (!properties) return `Record<string, ${typeof others === 'object' ? typeOf(others) : 'unknown'}>`
    const fields = Object.entries(properties).map(
      ([name, schema]) => `${keyOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
    )
    return fields.length === 0 ? 'object' : `{ ${fields.join('; ')} }`
  }

  function operationOf({ summary, parameters = [], requestBody, responses }: Operation, method: string): string {
    const places = Map.groupBy(parameters, (parameter) => parameter.in)
    const taken = [...places].map(([place, list]) => {
      const properties = Object.fromEntries(list.map(({ name, schema }) => [name, schema]))
      const required = list.filter((parameter) => parameter.required).map(({ name }) => name)
      return `${place}${required.length > 0 ? '' : '?'}: ${objectOf({ properties, required })}`
    })
    const body = requestBody ? [`requestBody${requestBody.required ? '' : '?'}: { ${contentOf([requestBody])} }`] : []
    const [good, bad] = [true, false].map((isGood) =>
      Object.entries(responses).filter(([status]) => Number(status) < 400 === isGood),
    ) as [[string, { content?: Content }][], [string, { content?: Content }][]]
    const answers = [
      ...good.map(([status, response]) => `${status}: { ${contentOf([response])} }`),
      `default: { ${contentOf(bad.map(([, response]) => response))} }`,
    ]
    const fields = [
      `parameters: ${taken.length === 0 ? 'object' : `{ ${taken.join('; ')} }`}`,
      ...body,
      `responses: {\n${answers.join('\n')} }`,
    ]
    return `${comment(summary)}${method}: {\n${fields.join('\n')}\n}`
  }

  /** The content of one response, or of all errors. */
  function contentOf(bodies: readonly { content?: Content }[]): string {
    const types = Map.groupBy(
      bodies.flatMap(({ content = {} }) => Object.entries(content)),
      ([media]) => media,
    )
    if (types.size === 0) return 'content?: never'
    const entries = [...types].map(
      ([media, found]) => `'${media}': ${union(found.map(([, { schema }]) => typeOf(schema)))}`,
    )
    return `content: { ${entries.join('; ')} }`
  }

  const wanted = Object.entries(paths)
    .filter(([path]) => isWanted(path))
    .map(([path, methods]) => {
      const operations = Object.entries(methods).map(([method, operation]) => operationOf(operation, method))
      return `'${path}': {\n${operations.join('\n')}\n}`
    })
  const imported = [...named].sort().join(', ')
  const schemas: string[] = []
  // A field that several schemas share is described once.
  const described = new Set<string>()
  const once = (text = '') => (described.has(text) ? '' : comment(described.add(text) && (text || undefined)))
  // Iterates over names that the loop itself adds.
  for (const name of named) {
    const schema = components.schemas[name] as Schema
    const fields = Object.entries(schema.properties ?? {}).map(([key, field]) => {
      const isRequired = schema.required?.includes(key)
      return `${once(field.description)}${keyOf(key)}${isRequired ? '' : '?'}: ${typeOf(field)}`
    })
    schemas.push(`export interface ${name} {\n${fields.join('\n')}\n}`)
  }
  return {
    paths: `import type { ${imported} } from './schemas.ts'\n\nexport interface paths {\n${wanted.join('\n')}\n}\n`,
    schemas: `${schemas.join('\n\n')}\n`,
  }
}

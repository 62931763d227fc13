import { Ajv2020 } from 'ajv/dist/2020.js'
import { endpoints } from '../../../api/endpoints.ts'
import { openApiDocument } from '../../../api/http/pages/openapi.ts'
import type { Client, ClientAnswer } from '../../../dev/client.ts'

interface Content {
  schema: object
}
interface Answer {
  headers: Record<string, { required?: boolean }>
  content?: Record<string, Content>
}
export interface Operation {
  operationId: string
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: object }[]
  requestBody?: { required: boolean; content: Record<string, Content & { example: unknown }> }
  responses: Record<string, Answer>
}
export interface Document {
  paths: Record<string, Record<string, Operation>>
}

export const document = openApiDocument(endpoints) as unknown as Document

export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema({
  ...document,
  $id: 'api',
})
const escaped = (step: string) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))

const parametersOf = (path: string) => path.split('{').length
const fits = (template: string, path: string) =>
  new RegExp(`^${template.replace(/\/$/, '').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path.split('?')[0] as string)

/** The documented operation for a request, or undefined. Paths without parameters take precedence. */
function operationOf(method: string, path: string) {
  const candidates = operations.filter((one) => fits(one.path, path))
  const fixed = candidates.filter((one) => parametersOf(one.path) === 1)
  return (fixed.length > 0 ? fixed : candidates)
    .filter((one) => one.method === method)
    .sort((a, b) => parametersOf(a.path) - parametersOf(b.path))[0]
}

/** How an answer differs from the document; empty when it conforms. */
export function undocumented(method: string, path: string, { status, headers, text, body }: ClientAnswer<unknown>) {
  const found = operationOf(method, path)
  if (found === undefined) return [405, 404, 400].includes(status) ? [] : [`${method} ${path} is not documented`]
  const at = `${method} ${found.path} ${status}`
  const answer = found.operation.responses[status]
  if (answer === undefined) return [`${at}: undocumented status: ${text.slice(0, 300)}`]
  const missing = Object.entries(answer.headers).flatMap(([name, { required }]) =>
    required && headers.get(name) === null ? [`${at}: no header ${name}`] : [],
  )
  const type = headers.get('Content-Type')?.split(';')[0]
  if (answer.content === undefined) return text === '' ? missing : [...missing, `${at}: an undocumented body`]
  if (type === undefined || !(type in answer.content)) return [...missing, `${at}: undocumented type ${type}`]
  const steps = ['paths', found.path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
  const validate = ajv.compile({ $ref: `api#/${steps.map(escaped).join('/')}` })
  if (!validate(/json/.test(type) ? body : text))
    missing.push(`${at}: ${ajv.errorsText(validate.errors)}: ${text.slice(0, 300)}`)
  return missing
}

/** Wraps a client so that an undocumented answer throws. */
export function documented(client: Client): Client['call'] {
  return async <Body>(method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await client.call<Body>(method, path, body, headers)
    const problems = undocumented(method, path, answer)
    if (problems.length > 0) throw new Error(problems.join('\n'))
    return answer
  }
}

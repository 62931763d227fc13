import { faultText, jsonFault } from '../../client/request/json-fault.ts'
import type { PublishFields } from '../../shared/request/fields.ts'

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
type Reviver = (key: string, value: unknown, context: { source: string }) => unknown
/** In a packet `1` and `1.0` are different values. */
export const keepingNumbers: Reviver = (_key, value, { source }) =>
  typeof value === 'number' ? rawJSON(source) : value

/** The requests of a text, with their numbers as they are. @throws SyntaxError that names the place */
export function requestsIn(text: string): Partial<PublishFields>[] {
  const fault = jsonFault(text)
  if (fault !== null) throw new SyntaxError(`The request is ${faultText(fault)}`)
  return [JSON.parse(text, keepingNumbers as never)].flat()
}

/** The one request of a text, with its numbers as they are; null if it is a list, or no request at all. */
export function oneRequestIn(text: string): Record<string, unknown> | null {
  if (jsonFault(text) !== null || !text.trimStart().startsWith('{')) return null
  return JSON.parse(text, keepingNumbers as never)
}

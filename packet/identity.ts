import { momentText, timeText } from './values/times.ts'
import { byFields, type Rendered } from './values/values.ts'

/** What `MERGE` finds a node by. Contract 1. */
export interface Identity {
  label: string
  idProperty: string
  id: Rendered
}

/** Whether two identities need the same statement text. */
export const isAlike = (a: Identity, b: Identity): boolean =>
  a.label === b.label && a.idProperty === b.idProperty && a.id.wrap === b.id.wrap && a.id.list === b.id.list

/** An id as text, for people and for `qa`: a string without quotes, any other value as JSON. */
export function idText({ json }: Rendered): string {
  if (!json.startsWith('"')) return json
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1)
}

/** Names a node in an error. */
export const nameOf = ({ label, idProperty, id }: Identity): string =>
  `the "${label}" with "${idProperty}" "${idText(id)}"`

/** An id as a request names it: a string as it is, `5` for 5 and 5.0; null if no request can name it. Contract 4.3. */
export const requestText = (id: Rendered): string | null =>
  id.json.startsWith('"') && id.wrap === null ? idText(id) : id.list || id.json.startsWith('[') ? null : numberText(id)

/**
 * The same text for ids that `MERGE` treats as equal, such as 5 and 5.0, [5] and [5.0], or a point with `numbers` plain
 * and strict; another text for '5'.
 */
export function mergeText(id: Rendered): string {
  if (id.wrap === null && id.json.startsWith('"')) return id.json
  return numberText(id) ?? (id.wrap === null ? id.json : (fieldsText(id) ?? `${id.wrap} ${id.json}`))
}

/** The text that a value given by its fields has with `numbers` plain; null for any other value. */
function fieldsText({ json, wrap }: Rendered): string | null {
  const plain = wrap && byFields[wrap]?.call
  return plain ? `${plain} ${asText(json.replace(/"(-?\d+)"/g, '$1'))}` : null
}

const timeFields = /\{"hour":(\d+),"minute":(\d+),"second":(\d+),"nanosecond":(\d+),"timezone":"([+-]\d\d:\d\d)"\}/g
const instantFields = /\{"epochSeconds":(-?\d+),"nanosecond":(\d+),"timezone":"(([+-])(\d\d):(\d\d))"\}/g

/**
 * Writes times and datetimes at an offset of whole minutes as text, as `numbers` plain does. With `numbers` strict a list
 * gives all its elements by their fields if it must give one of them so.
 */
const asText = (json: string): string =>
  json
    .replace(timeFields, (_, hour, minute, second, nanosecond, zone) => {
      const seconds = 3_600 * Number(hour) + 60 * Number(minute) + Number(second)
      return `"${timeText(seconds, Number(nanosecond))}${zone}"`
    })
    .replace(instantFields, (_, seconds, nanosecond, zone, sign, hours, minutes) => {
      const offset = 3_600 * Number(hours) + 60 * Number(minutes)
      const local = BigInt(seconds) + BigInt(sign === '-' ? -offset : offset)
      return `"${momentText(local, Number(nanosecond))}${zone}"`
    })

/** Text of a number or list of numbers, the same for equal integers of either type; null for anything else. */
function numberText({ json, wrap }: Rendered): string | null {
  const isNumeric = wrap === 'toInteger' || wrap === 'toFloat' || (wrap === null && /^\[?-?\d/.test(json))
  if (!isNumeric) return null
  const text = json.replaceAll('"', '')
  return text.startsWith('[') ? `[${text.slice(1, -1).split(',').map(plainNumber).join(',')}]` : plainNumber(text)
}

// Neo4j takes the largest integer for equal to the float that is larger by one.
const [lastInteger, floatAfterIt] = [2n ** 63n - 1n, 2 ** 63]

/**
 * Ids that `MERGE` treats as equal, although a uniqueness constraint allows a node with each of them, by their common
 * `mergeText`.
 */
const allowedTogether: ReadonlyMap<string, readonly unknown[]> = new Map([
  ['0', [0, -0]],
  [String(lastInteger), [lastInteger, floatAfterIt]],
])

/** How zeros, and numbers near the largest integer, are written. */
const mayBeAllowedTogether = /^"?(?:-?0(?:\.0)?"?$|92233720368547)/

/** The ids that are equal to this one and may belong to other nodes, whatever constraint is there; null for most. */
export const equalsOf = (id: Rendered): readonly unknown[] | null =>
  mayBeAllowedTogether.test(id.json) ? (allowedTogether.get(mergeText(id)) ?? null) : null

const plainNumber = (text: string): string =>
  /[.eE]/.test(text) && Number.isInteger(Number(text)) ? integerText(Number(text)) : text
const integerText = (value: number) => String(value === floatAfterIt ? lastInteger : BigInt(value))

import neo4j from 'neo4j-driver'
import { isUndecodable } from '../../cypher/values.ts'

const names = [
  'String',
  'Boolean',
  'Integer',
  'Float',
  'Number',
  'Date',
  'Time',
  'LocalTime',
  'DateTime',
  'LocalDateTime',
  'Duration',
  'Point',
] as const
type Name = (typeof names)[number]

/** The type of a property in a model: that of a value, or of the elements of a list. */
export type DataType = Name | `${Name}[]`

/** The type of a stored value. `[]` is the empty list; `other` is any value without a type here. */
export type ValueType = DataType | '[]' | 'other'

const synonyms: Record<string, Name> = { long: 'Integer', int: 'Integer', double: 'Float' }
const nameOf = new Map<string, Name>([
  ...names.map((name) => [name.toLowerCase(), name] as const),
  ...Object.entries(synonyms),
])

/** The type that a property's `dataType` names; null if it names none, so that values are not checked. Contract 4.21. */
export function dataTypeOf(text: string | null | undefined): DataType | null {
  const [, word = '', list = ''] = /^\s*(\w+)\s*((?:\[\s*\])?)\s*$/.exec(text ?? '') ?? []
  const name = nameOf.get(word.toLowerCase())
  return name === undefined ? null : list === '' ? name : `${name}[]`
}

/** The type of a value as the driver reads it. */
export function typeOf(value: unknown): ValueType {
  if (!Array.isArray(value)) return nameOfValue(value)
  if (value.length === 0) return '[]'
  // All elements of a stored list have one type.
  const name = nameOfValue(value[0])
  return name === 'other' ? name : `${name}[]`
}

function nameOfValue(value: unknown): Name | 'other' {
  switch (typeof value) {
    case 'string':
      return 'String'
    case 'boolean':
      return 'Boolean'
    case 'bigint':
      return 'Integer'
    case 'number':
      return 'Float'
    default:
      return nameOfStructure(value as object)
  }
}

function nameOfStructure(value: object): Name | 'other' {
  if (isUndecodable(value)) return 'other'
  if (neo4j.isDate(value)) return 'Date'
  if (neo4j.isTime(value)) return 'Time'
  if (neo4j.isLocalTime(value)) return 'LocalTime'
  if (neo4j.isDateTime(value)) return 'DateTime'
  if (neo4j.isLocalDateTime(value)) return 'LocalDateTime'
  if (neo4j.isDuration(value)) return 'Duration'
  return neo4j.isPoint(value) ? 'Point' : 'other'
}

/** Whether a value of this type may be stored under a property of that one. An empty list is a list of any type. */
export function fits(value: ValueType, type: DataType): boolean {
  if (value === type) return true
  if (value === '[]') return type.endsWith('[]')
  const number = type.replace('Number', 'Integer')
  return type.startsWith('Number') && (value === number || value === type.replace('Number', 'Float'))
}

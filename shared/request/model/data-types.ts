import { elementKind, emptyList, isList, type Kind, kind } from '../../../packet/packstream/kinds.ts'

const namesOfKinds = {
  [kind.string]: 'String',
  [kind.boolean]: 'Boolean',
  [kind.safeInteger]: 'Integer',
  [kind.largeInteger]: 'Integer',
  [kind.float]: 'Float',
  [kind.oddFloat]: 'Float',
  [kind.date]: 'Date',
  [kind.localTime]: 'LocalTime',
  [kind.localDateTime]: 'LocalDateTime',
  [kind.time]: 'Time',
  [kind.timeByFields]: 'Time',
  [kind.dateTime]: 'DateTime',
  [kind.dateTimeByFields]: 'DateTime',
  [kind.farDateTime]: 'DateTime',
  [kind.zonedAtLocal]: 'DateTime',
  [kind.duration]: 'Duration',
  [kind.point]: 'Point',
  [kind.pointInSpace]: 'Point',
  [kind.oddPoint]: 'Point',
} as const
type Name = (typeof namesOfKinds)[keyof typeof namesOfKinds] | 'Number'

/** The type of a property in a model: the type of its value, or of the elements of its list. */
export type DataType = Name | `${Name}[]`

/** The type of a stored value. `[]` is the empty list; `other` is any value without a type here. */
export type ValueType = DataType | '[]' | 'other'

const synonyms: Record<string, Name> = { long: 'Integer', int: 'Integer', double: 'Float' }
const names: Name[] = ['Number', ...Object.values(namesOfKinds)]
const nameOf = new Map<string, Name>([
  ...names.map((name) => [name.toLowerCase(), name] as const),
  ...Object.entries(synonyms),
])

/** The type that a property's `dataType` names; null if it names none: values are not checked. Contract 4.21. */
export function dataTypeOf(text: string | null | undefined): DataType | null {
  const [, word = '', list] = /^(\w+)\s*(\[\s*\])?$/.exec(text?.trim() ?? '') ?? []
  const name = nameOf.get(word.toLowerCase())
  return name === undefined ? null : list === undefined ? name : `${name}[]`
}

/** The type of values of this kind. */
export function typeOf(of: Kind): ValueType {
  if (of === emptyList) return '[]'
  const name = (namesOfKinds as Readonly<Record<Kind, Name>>)[elementKind(of)] ?? 'other'
  return name === 'other' || !isList(of) ? name : `${name}[]`
}

/** Whether a property of type `type` may have a value of type `value`. An empty list is a list of any type. */
export function fits(value: ValueType, type: DataType): boolean {
  if (value === type) return true
  if (value === '[]') return type.endsWith('[]')
  const number = type.replace('Number', 'Integer')
  return type.startsWith('Number') && (value === number || value === type.replace('Number', 'Float'))
}

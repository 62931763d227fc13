import { type ParameterSyntax, render } from './cypher/parameters.ts'
import type { Binding, Statement, Topic } from './kinds/statement.ts'

/** The common part of pairs that differ only in values: the statement's text and the parameters' names, as JSON. */
export interface Shape<Source> {
  topic: Topic
  statement: string
  bindings: readonly Binding<Source>[]
}

/** One statement/parameter pair, ready to be written. */
export interface WrittenPair {
  shape: Pick<Shape<unknown>, 'topic' | 'statement'>
  /** `"name":value` for each parameter. */
  parameters: string
}

export const shapeOf = <Source>(
  { topic, text, bindings }: Statement<Source>,
  syntax: ParameterSyntax,
): Shape<Source> => ({
  topic,
  statement: JSON.stringify(render(text, syntax)),
  bindings: bindings.map(({ name, source }) => ({ name: JSON.stringify(name), source })),
})

/** Makes the pair of a shape whose values, as JSON, come from `jsonOf`. */
export function pairOf<Source>(shape: Shape<Source>, jsonOf: (source: Source) => string): WrittenPair {
  return { shape, parameters: shape.bindings.map(({ name, source }) => `${name}:${jsonOf(source)}`).join(',') }
}

/** The text of a pair in a part, in three pieces. The values are between the first two; the last has the metadata. */
export const beforeParameters = ({ statement }: Pick<WrittenPair['shape'], 'statement'>): string =>
  `{"statement":${statement},"parameters":{`
export const beforeMetadata = '},"metadata":'
export const pairEnd = (metadata: string | null): string => `${metadata}}`

/** The pair without its metadata, which is known only when the part is sealed. */
export const pairText = ({ shape, parameters }: WrittenPair): string =>
  `${beforeParameters(shape)}${parameters}${beforeMetadata}`

/** The pair with metadata null. */
export const wholePair = (pair: WrittenPair): string => `${pairText(pair)}${pairEnd(null)}`

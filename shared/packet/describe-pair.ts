import { shownId } from './check/shown-value.ts'
import { identitiesOf, kinds, type Structure, typeBetween } from './kinds/kinds.ts'

/** `relationship upsert, :Person p1 -KNOWS-> :Person p2` */
export function describePair(it: Structure, parameters: Readonly<Record<string, unknown>>): string {
  const nodes = identitiesOf(it).map(({ label, parameter }) => `:${label} ${shownId(parameters[parameter])}`)
  return `${kinds[it.kind].title}, ${nodes.join(` -${typeBetween(it)}-> `)}`
}

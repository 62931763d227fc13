import { stringifyLossless } from '../lossless-json.ts'
import type { Recognised } from '../recognise.ts'
import { identitiesOf } from '../statements/identities.ts'
import type { Kind, Structure } from '../statements/structure.ts'

const names: Record<Kind, string> = {
  nodeUpsert: 'node upsert',
  relationshipUpsert: 'relationship upsert',
  relationshipCreate: 'relationship create',
  cleanup: 'cleanup',
  deleteProperties: 'property delete',
  nodeDelete: 'node delete',
  postback: 'postback',
}

/** `relationship upsert, :Person p1 -KNOWS-> :Person p2` */
export function describePair(recognised: Recognised, parameters: Readonly<Record<string, unknown>>): string {
  const nodes = identitiesOf(recognised).map(({ label, parameter }) => `:${label} ${shownId(parameters[parameter])}`)
  return `${names[recognised.kind]}, ${nodes.join(` -${typeOf(recognised)}-> `)}`
}

/** The type of the relationship that a pair speaks of; empty if it is about a node. */
export function typeOf(it: Structure): string {
  if (it.kind === 'relationshipCreate') return it.type
  return 'ends' in it ? it.ends.type : ''
}

/** An id as it stands in the packet. */
export function shownId(id: unknown): string {
  return shortened(typeof id === 'string' ? id : stringifyLossless(id))
}

const longestShown = 60

/** The beginning of a long text. It is a copy: a slice would keep the whole text in memory. */
export const shortened = (text: string): string =>
  text.length > longestShown ? `${Buffer.from(text.slice(0, longestShown))}…` : text

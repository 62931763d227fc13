import { stringifyLossless } from '../lossless-json.ts'
import type { Recognised } from '../recognise.ts'
import { identitiesOf, typeBetween } from '../statements/identities.ts'
import type { Kind } from '../statements/structure.ts'

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
  return `${names[recognised.kind]}, ${nodes.join(` -${typeBetween(recognised)}-> `)}`
}

/** An id as it stands in the packet. */
export function shownId(id: unknown): string {
  return shortened(typeof id === 'string' ? id : stringifyLossless(id))
}

const longestShown = 60

/** The beginning of a long text. It is a copy: a slice would keep the whole text in memory. */
export const shortened = (text: string): string =>
  text.length > longestShown ? `${Buffer.from(text.slice(0, longestShown))}…` : text

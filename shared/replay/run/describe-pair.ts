import { stringifyLossless } from '../lossless-json.ts'
import type { Recognised } from '../recognise.ts'
import { identitiesOf } from '../statements/identities.ts'
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
  return `${names[recognised.kind]}, ${nodes.join(` -${typeOf(recognised)}-> `)}`
}

function typeOf(recognised: Recognised): string {
  if (recognised.kind === 'relationshipCreate') return recognised.type
  return 'ends' in recognised ? recognised.ends.type : ''
}

/** An id as it stands in the packet. */
export function shownId(id: unknown): string {
  const text = typeof id === 'string' ? id : stringifyLossless(id)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

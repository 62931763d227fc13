import { type Identity, idText, mergeText } from '../../../shared/packet/identity.ts'
import type { IdentifiedNode } from '../../../shared/packet/kinds/statement.ts'
import { stringifyLossless } from '../../../shared/packet/lossless-json.ts'
import type { Ends } from '../../../shared/packet/pair-maker.ts'
import { ReplayError } from '../errors.ts'

/** The identity of a node that a pair names by this value of a parameter. */
export const identityBy = ({ label, idProperty, id }: IdentifiedNode, value: unknown): Identity => ({
  label,
  idProperty,
  // Most ids are strings, for which this is much faster.
  id: { ...id, json: typeof value === 'string' ? JSON.stringify(value) : stringifyLossless(value) },
})

/** A text that is the same for identities that `MERGE` treats as equal. */
export const identityText = ({ label, idProperty, id }: Identity): string =>
  [label, idProperty, mergeText(id)].join('\u0000')

/** The same for relationships of a type between two identities. */
export const endsText = ({ start, type, end }: Ends): string =>
  [identityText(start), type, identityText(end)].join('\u0001')

/** `:Person p1` */
export const describeIdentity = ({ label, id }: Identity): string => `:${label} ${idText(id).slice(0, 60)}`

/** Why a replay with an undo does not begin. */
export const irreversible = (element: string, problem: string): ReplayError =>
  new ReplayError('refused', `${element} ${problem}: an undo could not restore it; nothing was replayed`)

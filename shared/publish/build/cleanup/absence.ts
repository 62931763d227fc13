import { type Identity, mergeText } from '../../../packet/identity.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import { idForms } from '../../request/id-forms.ts'
import type { Plan } from '../../request/plan.ts'
import type { ConflictDetector } from '../conflicts.ts'

/** An origin id that matched no node when the targets were selected. */
export interface Absent {
  identity: Identity
  /** The id, as string or integer. */
  value: string | bigint
}

/**
 * Tracks the origin ids that the origin does not have, so that their relationships on the target are removed: each
 * missing id as a string and, where it could be one, as an integer. A node created while the request is read is
 * published, so an identity seen later no longer counts as absent. Contract 4.11 and 5.
 */
export function createAbsence({ index, identity, cleansMissing }: Plan, missing: readonly string[]) {
  const forms = (cleansMissing ? missing : []).map(idForms)
  const values = forms.flatMap(({ text, integer }) => (integer === null ? [text] : [text, integer]))
  const absent = new Map<string, Absent>(
    values.map((value) => {
      const id = renderValue(value, identity.numbers) as Rendered
      return [mergeText(id), { identity: { ...index, id }, value }]
    }),
  )
  return {
    /** Wraps a detector: forwards every call, and drops missing ids that turn up. */
    observing(others: ConflictDetector): ConflictDetector {
      if (absent.size === 0) return others
      return {
        ...others,
        identified(node, keys, seen) {
          // A request has one id property for each label.
          if (seen.label === index.label) absent.delete(mergeText(seen.id))
          others.identified(node, keys, seen)
        },
      }
    },
    /** The identities not seen so far. */
    all: (): Iterable<Absent> => absent.values(),
  }
}

export type Absence = ReturnType<typeof createAbsence>

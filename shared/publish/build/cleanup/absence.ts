import { type Rendered, renderValue } from '../../../cypher/values.ts'
import { idForms } from '../../request/id-forms.ts'
import { type Identity, idKey } from '../../request/identity.ts'
import type { Plan } from '../../request/plan.ts'
import type { ConflictDetector } from '../conflicts.ts'

/** An identity that the origin did not have when the request's ids were looked for. */
export interface Absent {
  identity: Identity
  /** The id, as string or integer. */
  value: string | bigint
}

/**
 * The identities whose relationships on the target are to be removed because the origin does not have them: each missing
 * origin id, as a string and, where it could be one, as an integer. Nodes may come into being while the request is read,
 * and what is published of them must stay: an identity that is seen is absent no more. None with `toLayer` or
 * `targetFilter`, for then nothing says that they were targeted. Contract 4.11 and 5.
 */
export function createAbsence({ index, identity, cleanup, toLayer, targetFilter }: Plan, missing: readonly string[]) {
  const isCleaned = cleanup !== 'none' && toLayer.length === 0 && targetFilter === null
  const forms = (isCleaned ? missing : []).map(idForms)
  const values = forms.flatMap(({ text, integer }) => (integer === null ? [text] : [text, integer]))
  const absent = new Map<string, Absent>(
    values.map((value) => [
      idKey(value),
      { identity: { ...index, id: renderValue(value, identity.numbers) as Rendered }, value },
    ]),
  )
  return {
    /** Passes everything on to another detector, and notes which of the missing ids turn up. */
    observing(others: ConflictDetector): ConflictDetector {
      if (absent.size === 0) return others
      return {
        ...others,
        identified(node, keys, seen, id) {
          if (seen.label === index.label && seen.idProperty === index.idProperty) absent.delete(idKey(id))
          others.identified(node, keys, seen, id)
        },
      }
    },
    /** Those that were not seen so far. */
    all: (): Iterable<Absent> => absent.values(),
  }
}

export type Absence = ReturnType<typeof createAbsence>

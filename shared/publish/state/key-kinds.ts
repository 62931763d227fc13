import { type KeyKind, keysOfKind } from '../../../packet/state/keys.ts'

/**
 * Kinds of keys that a state lists. Beyond this limit it lists none, and searches for ids in it answer `unknown`: they
 * look up each id by each kind. Contract 7.14.
 */
const mostKinds = 2_000
/**
 * Characters of the kinds of keys that a state lists. Beyond this limit it lists none, and searches for ids in it answer
 * `unknown`: each kind repeats its label and id property.
 */
const mostCharacters = 1_000_000

/** Collects the kinds of keys that a state has, so that an id can be looked up. */
export function createKeyKinds() {
  const kinds = new Map<string, KeyKind>()
  let areAll = true
  let characters = 0
  const keyOf = (kind: KeyKind) => keysOfKind(kind)({ json: '""', wrap: null, list: false })

  function add(kind: KeyKind): void {
    if (!areAll) return
    const key = keyOf(kind)
    if (kinds.has(key)) return
    kinds.set(key, kind)
    characters += key.length
    if (kinds.size > mostKinds || characters > mostCharacters) areAll = false
  }

  return {
    add,
    /** Adds the kinds of a slice; null: they are not known. */
    addAll(others: readonly KeyKind[] | null): void {
      if (others === null) areAll = false
      else for (const kind of others) add(kind)
    },
    /** Null if they are too many, or not known. */
    read: (): KeyKind[] | null => (areAll ? [...kinds.values()] : null),
  }
}

export type KeyKinds = ReturnType<typeof createKeyKinds>

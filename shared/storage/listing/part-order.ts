import type { Compare } from '../../store/object-store.ts'

/** Names of a packet's parts at or after `from`, in key order: `fPart10of12` sorts before `fPart1of12`. */
export function* partNamesFrom(name: string, parts: number, from: string, compare: Compare): Generator<string> {
  /** Parts whose number starts with the digits of `number` and is longer. */
  function* beginningWith(number: number): Generator<string> {
    for (let longer = number * 10; longer < number * 10 + 10 && longer <= parts; longer++) {
      if (longer === 0) continue
      const start = `${name}Part${longer}`
      const own = `${start}of${parts}`
      if (compare(start, from) >= 0 || from.startsWith(start)) yield* beginningWith(longer)
      if (compare(own, from) >= 0) yield own
    }
  }
  yield* beginningWith(0)
}

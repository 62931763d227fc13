import type { Compare } from '../object-store.ts'

/** The names of a packet's parts from `from` on, in order: `fPart10of12` comes before `fPart1of12`. */
export function* partNamesFrom(name: string, parts: number, from: string, compare: Compare): Generator<string> {
  /** Those whose number begins with the digits of `number`, but for itself. */
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

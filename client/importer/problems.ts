import type { Place } from '../../packet/parts/parse-part.ts'
import { Failure } from '../exit.ts'
import { number } from '../format.ts'

/** Distinct problems that are kept: each has a label and a property, of which a packet may have very many. */
const mostKept = 1_000
const mostShown = 20

/** Collects why a packet cannot become files for the importer. */
export function createProblems() {
  const found = new Map<string, { pairs: number; first: Place | null }>()
  let more = 0

  return {
    get isEmpty() {
      return found.size === 0
    },

    /** @param what is in the packet, and where: `:Airport.tags: an empty list` */
    add(what: string, place: Place | null): void {
      const known = found.get(what)
      if (known) known.pairs++
      else if (found.size < mostKept) found.set(what, { pairs: 1, first: place })
      else more++
    },

    /** @throws Failure (refused) that names the problems, if there are any */
    throwIfAny(name: string): void {
      if (found.size === 0) return
      const lines = [...found].slice(0, mostShown).map(([what, { pairs, first }]) => {
        const where = first === null ? '' : `, at part ${first.part}, pair ${first.pair}`
        return `  ${what}${where}${pairs > 1 ? ` and ${number.format(pairs - 1)} more` : ''}`
      })
      const rest = found.size - lines.length + more
      const ending = rest > 0 ? [`  and ${number.format(rest)} more`] : []
      throw new Failure('refused', `${name} cannot become files for the importer; packets replay takes it`, [
        ...lines,
        ...ending,
      ])
    },
  }
}

export type Problems = ReturnType<typeof createProblems>

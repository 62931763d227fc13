import { typeBetween } from '../../packet/kinds/kinds.ts'
import { number } from '../format.ts'
import type { Difference } from '../replay/verify/reader.ts'
import { differenceWords } from '../target/verifying.ts'
import { type Picture, shortened } from './picture.ts'

/** Where differences are: at the nodes with a label (`to` is null), or between the nodes of two labels. */
interface Place {
  from: string
  to: string | null
  what: string
}

/** Counts differences as a comparison finds them, and draws the labels and types that have some. */
export function drawDifferences() {
  const places = new Map<string, Place & { count: number }>()

  function placeOf({ kind, item: { recognised } }: Difference): Place {
    const [from, to = null] = recognised.identities.map(({ label }) => label) as [string, string?]
    const type = recognised.kind === 'cleanup' ? recognised.type.type : typeBetween(recognised)
    return { from, to, what: type === null ? differenceWords[kind] : `${type}: ${differenceWords[kind]}` }
  }

  return {
    add(difference: Difference): void {
      const place = placeOf(difference)
      const key = JSON.stringify([place.from, place.to, place.what])
      places.set(key, { ...place, count: (places.get(key)?.count ?? 0) + 1 })
    },
    picture(title: string): Picture {
      // Sorted, because queries run concurrently.
      const sorted = [...places].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place)
      const all = sorted.map((place) => ({
        ...place,
        text: `${place.what} × ${number.format(place.count)}`,
      }))
      const labels = new Set(all.flatMap(({ from, to }) => (to === null ? [from] : [from, to])))
      return {
        title,
        bubbles: [...labels].map((label) => {
          const texts = all.filter(({ from, to }) => from === label && to === null).map(({ text }) => text)
          return { label, lines: [], marked: shortened(texts) }
        }),
        arrows: all.flatMap(({ from, to, text }) => (to === null ? [] : [{ from, to, text }])),
      }
    },
  }
}

import { baseReachedInto } from '../../../packet/names.ts'

export interface NameFilter {
  is(name: string): boolean
  /** Whether a packet's name, or the name of any part it may have, could match. */
  mayBe(packetName: string): boolean
}

/** Matches an org's file names that contain any of the texts; null if every name matches. */
export function filterOf(orgName: string, texts: readonly string[]): NameFilter | null {
  if (texts.length === 0 || texts.includes('')) return null
  const isInSuffix = texts.some((text) => /^P?a?r?t?\d*(?:(?:of?|f)\d*)?$/.test(text))
  const { isInside } = createTextSearch(texts)
  const bases = texts.map(baseReachedInto).filter((base) => base !== null)
  const basesFromTheirEnd = createTextSearch(bases.map(reversed))
  const inOrg = (name: string) => name.slice(orgName.length + 1)
  return {
    is: (name) => isInside(inOrg(name)),
    mayBe(packetName) {
      const fileName = inOrg(packetName)
      return isInSuffix || isInside(fileName) || basesFromTheirEnd.startsAny(reversed(fileName))
    },
  }
}

const reversed = (text: string) => text.split('').reverse().join('')

/** Finds texts in names. The time depends on the length of a name, and hardly on the number of texts. */
export function createTextSearch(texts: readonly string[]) {
  const sorted = withoutLonger(texts)

  /** Whether a name has one of the texts at this place. */
  function isAt(name: string, place: number): boolean {
    const rest = name.slice(place)
    let [first, end] = [0, sorted.length]
    while (first < end) {
      const middle = (first + end) >> 1
      if ((sorted[middle] as string) <= rest) first = middle + 1
      else end = middle
    }
    // No text starts with another, so only the last text that sorts up to `rest` can be its start.
    return first > 0 && rest.startsWith(sorted[first - 1] as string)
  }

  return {
    startsAny: (name: string): boolean => isAt(name, 0),
    isInside(name: string): boolean {
      for (let place = 0; place < name.length; place++) if (isAt(name, place)) return true
      return false
    },
  }
}

/** Sorts texts by UTF-16 unit, and drops those that start with another one. */
function withoutLonger(texts: readonly string[]): string[] {
  const kept: string[] = []
  for (const text of [...texts].sort()) {
    const last = kept.at(-1)
    if (last === undefined || !text.startsWith(last)) kept.push(text)
  }
  return kept
}

import { baseReachedInto } from '../../../packet/names.ts'
import type { NameFilter } from './list-names.ts'
import { createTextSearch } from './text-search.ts'

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

import { baseReachedInto } from '../names.ts'
import type { NameFilter } from './list-names.ts'

/** Matches an org's file names that contain any of the texts; null if every name matches. */
export function filterOf(orgName: string, texts: readonly string[]): NameFilter | null {
  if (texts.length === 0 || texts.includes('')) return null
  const isInSuffix = texts.some((text) => /^P?a?r?t?\d*o?f?\d*$/.test(text))
  const bases = texts.map(baseReachedInto).filter((base) => base !== null)
  const inOrg = (name: string) => name.slice(orgName.length + 1)
  const holdsAny = (fileName: string) => texts.some((text) => fileName.includes(text))
  return {
    is: (name) => holdsAny(inOrg(name)),
    mayBe(packetName) {
      const fileName = inOrg(packetName)
      return isInSuffix || holdsAny(fileName) || bases.some((base) => fileName.endsWith(base))
    },
  }
}

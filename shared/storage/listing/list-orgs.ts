import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import { orgName } from '../../../packet/names.ts'
import type { ObjectStore } from '../../store/object-store.ts'

export interface OrgPage {
  /** The caller takes at most this many. */
  most: number
  /** Only orgs after this one. */
  after?: string | undefined
}

// Orgs whose existence is checked concurrently.
const together = 32

/** The first segments of all orgs, in key order. Directories that no org can have are left out. */
export async function* topLevelOrgs(store: ObjectStore, { most, after }: OrgPage): AsyncGenerator<string> {
  const pageKeys = Math.min(most + 1, 1_000)
  const options = after === undefined ? { pageKeys } : { pageKeys, startAfter: `${after}/\u{10ffff}` }
  for await (const found of store.listLevel('', options)) {
    if (!('prefix' in found)) continue
    const org = found.prefix.slice(0, -1)
    if (orgName.safeParse(org).success && (after === undefined || byCodePoint(found.prefix, `${after}/`) > 0)) yield org
  }
}

/** The orgs that exist, by code point. */
export async function* existing(
  orgs: readonly string[],
  { after = '' }: OrgPage,
  exists: (org: string) => Promise<boolean>,
): AsyncGenerator<string> {
  const sorted = orgs.filter((org) => byCodePoint(org, after) > 0).sort(byCodePoint)
  for (let from = 0; from < sorted.length; from += together) {
    const some = sorted.slice(from, from + together)
    const found = await Promise.all(some.map(exists))
    yield* some.filter((_, index) => found[index])
  }
}

import type { scopes } from '../../wire/whoami.ts'

export type Scope = (typeof scopes)[number]

/** What a token allows, and the name that records show as the author of its changes. */
export interface Grant {
  name: string
  /** Orgs, including their sub-directories; `*` means all. */
  orgs: readonly string[]
  scopes: readonly Scope[]
}

/** Who is calling, and what they may do. Contract 9. */
export interface Principal extends Grant {
  /** Identifies this principal: tokens of different kinds may share a name. */
  identity: string
  /** When the token expires, ISO 8601; null: never. */
  expiresAt: string | null
}

/** Whether one of the grant's orgs covers this one. A token's org covers its sub-directories (contract 6). */
export const coversOrg = ({ orgs }: Pick<Grant, 'orgs'>, orgName: string): boolean =>
  orgs.some((org) => org === '*' || org === orgName || orgName.startsWith(`${org}/`))

/** The grant's orgs that no other org of the grant covers. null: all orgs. */
export function rootsOf({ orgs }: Grant): string[] | null {
  if (orgs.includes('*')) return null
  return [...new Set(orgs)].filter((org) => !orgs.some((other) => org.startsWith(`${other}/`)))
}

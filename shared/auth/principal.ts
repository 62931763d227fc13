export const scopes = ['publish:read', 'publish:write', 'manager:read', 'manager:write', 'search:read'] as const
export type Scope = (typeof scopes)[number]

/** What a token allows, and the name that records keep of who used it. */
export interface Grant {
  name: string
  /** Orgs with their sub-directories; `*` is all. */
  orgs: readonly string[]
  scopes: readonly Scope[]
}

/** Who is calling, and what they may do. Contract 9. */
export interface Principal extends Grant {
  /** What is theirs alone goes by this: tokens of different kinds may have one name. */
  identity: string
}

/** Does one of the principal's orgs cover this one? A token's org covers its sub-directories (contract 6). */
export const coversOrg = ({ orgs }: Grant, orgName: string): boolean =>
  orgs.some((org) => org === '*' || org === orgName || orgName.startsWith(`${org}/`))

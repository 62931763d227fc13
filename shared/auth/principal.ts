export const scopes = ['publish:read', 'publish:write', 'manager:read', 'manager:write', 'search:read'] as const
export type Scope = (typeof scopes)[number]

/** Who is calling, and what they may do. Contract 9. */
export interface Principal {
  name: string
  /** Orgs with their sub-directories; `*` is all. */
  orgs: readonly string[]
  scopes: readonly Scope[]
}

/** Does one of the principal's orgs cover this one? A token's org covers its sub-directories (contract 6). */
export const coversOrg = ({ orgs }: Principal, orgName: string): boolean =>
  orgs.some((org) => org === '*' || org === orgName || orgName.startsWith(`${org}/`))

export const scopes = [
  'publish:read',
  'publish:write',
  'manager:read',
  'manager:write',
  'search:read',
  'ops:read',
] as const
export type Scope = (typeof scopes)[number]

/** What a token allows, and the name under which records list its changes. */
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
}

/** Whether one of the grant's orgs covers this one. A token's org covers its sub-directories (contract 6). */
export const coversOrg = ({ orgs }: Grant, orgName: string): boolean =>
  orgs.some((org) => org === '*' || org === orgName || orgName.startsWith(`${org}/`))

import { coversOrg, type Principal } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { ApiContext } from '../context.ts'
import { requireVisible } from './visible-job.ts'

interface AccessInput<Params, Body> {
  principal: Principal
  params: Params
  body: Body
}

/** Org check of an endpoint: throws unless the token's orgs cover the data it accesses. Every endpoint declares one. */
export type Access<Params = unknown, Body = unknown> = (
  context: ApiContext,
  input: AccessInput<Params, Body>,
) => void | Promise<void>

/** No org check: either the scope suffices, or the handler itself filters by the token's orgs. */
export const noOrg: Access = () => {}

/** Only tokens with all orgs, because the endpoint concerns the whole service. */
export const allOrgs: Access = (_context, { principal }) => {
  if (!principal.orgs.includes('*')) throw errors.allOrgsMissing()
}

function requireOrg(principal: Principal, orgName: string) {
  // Same error as for a missing org, so the response does not reveal which orgs exist.
  if (!coversOrg(principal, orgName)) throw errors.noSuchOrg(orgName)
}

export const orgInPath: Access<{ orgName: string }> = (_context, { principal, params }) =>
  requireOrg(principal, params.orgName)

/**
 * With `returnOnly` nothing is stored, so no org is checked. A dry run need not name an org; no other publish without one
 * is valid.
 */
export const orgInBody: Access<unknown, { orgName?: string | undefined; returnOnly?: boolean | undefined }> = (
  _context,
  { principal, body },
) => {
  if (body.returnOnly !== true && body.orgName) requireOrg(principal, body.orgName)
}

export const orgOfJob: Access<{ id: string }> = async ({ records }, { principal, params }) => {
  requireVisible(principal, await records.read(params.id))
}

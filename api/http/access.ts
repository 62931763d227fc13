import { coversOrg, type Principal } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { ApiContext } from '../context.ts'
import { requireVisible } from './visible-job.ts'

interface Asked<Params, Body> {
  principal: Principal
  params: Params
  body: Body
}

/** Whose data an endpoint touches: throws unless the token's orgs cover it. Every endpoint declares one. */
export type Access<Params = unknown, Body = unknown> = (
  context: ApiContext,
  asked: Asked<Params, Body>,
) => void | Promise<void>

/** No org's data: the scope alone decides; or the handler shows each org's data only to whom it belongs. */
export const noOrg: Access = () => {}

function requireOrg(principal: Principal, orgName: string) {
  // Another org's name is answered like one that does not exist.
  if (!coversOrg(principal, orgName)) throw errors.noSuchOrg(orgName)
}

export const orgInPath: Access<{ orgName: string }> = (_context, { principal, params }) =>
  requireOrg(principal, params.orgName)

/** A packet that is only returned belongs to no org. */
export const orgInBody: Access<unknown, { orgName?: string | undefined; returnOnly?: boolean | undefined }> = (
  _context,
  { principal, body },
) => {
  if (body.returnOnly !== true) requireOrg(principal, body.orgName ?? '')
}

export const orgOfJob: Access<{ id: string }> = async ({ records }, { principal, params }) => {
  requireVisible(principal, await records.read(params.id))
}

import type { ErrorRequestHandler } from 'express'
import { AppError } from '../../shared/errors/app-error.ts'
import { audit } from '../../shared/observability/audit.ts'
import { withTrace } from '../../shared/observability/trace.ts'
import type { ApiContext } from '../context.ts'
import type { Endpoint } from './endpoint.ts'

/** Authorization failures. Other orgs' resources are reported as not found. */
const refusals = ['unauthenticated', 'scopeMissing', 'noSuchOrg', 'noSuchJob', 'noSuchRecord', 'nameReserved']

/** For an endpoint that changes something: writes the audit line of a request that it refuses. */
export const auditRefusals =
  (context: Pick<ApiContext, 'log'>, { method, path: route }: Endpoint): ErrorRequestHandler =>
  (error, _request, { locals }, next) => {
    if (error instanceof AppError && refusals.includes(error.code)) {
      const { log } = withTrace(context, locals.traceparent)
      const sender = { by: locals.principal?.identity ?? null, requestId: locals.requestId }
      const change = { action: 'request.refuse', method: method.toUpperCase(), route, reason: error.code } as const
      audit(log, sender, change, 'refused')
    }
    next(error)
  }

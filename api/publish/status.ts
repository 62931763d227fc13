import * as errors from '../../shared/errors/catalogue.ts'
import { failingChecks } from '../../shared/observability/health.ts'
import { apiChecks } from '../health.ts'
import { noOrg } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'

/** Seed, Publish #1; contract 7.1. */
export const status = defineEndpoint({
  method: 'get',
  path: '/1.0/publish/status',
  summary: 'Whether the queue and the object store answer',
  scope: 'publish:read',
  access: noOrg,
  answer: 'empty',
  async handle(context) {
    const failing = await failingChecks(apiChecks(context))
    if (failing.size > 0) throw failing.has('redis') ? errors.queueAway() : errors.storeAway()
    return { kind: 'empty' }
  },
})

import { noOrg } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { requireModels } from './require-models.ts'

/** Seed, Manager: status; open, as its example sends no token (contract 3). */
export const managerStatus = defineEndpoint({
  method: 'get',
  path: '/1.0/manager/status',
  summary: 'Whether the manager database answers',
  scope: null,
  access: noOrg,
  answer: 'empty',
  async handle({ models }) {
    await requireModels(models).ping()
    return { kind: 'empty' }
  },
})

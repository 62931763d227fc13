import { z } from 'zod'
import { pauseQueue, resumeQueue } from '../../shared/queue/pause.ts'
import { pauseBody } from '../../wire/overview.ts'
import { allOrgs } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'

const answer = z.object({ paused: pauseBody })

/** Contract 9, service: no new run starts until `resume`. Runs under way end, and publishes are accepted. */
export const pause = defineEndpoint({
  method: 'post',
  path: '/1.0/ops/pause',
  summary: 'Start no new runs until resumed; for tokens with all orgs',
  scope: 'ops:write',
  access: allOrgs,
  answer,
  async handle(context, { principal, changed }) {
    const { pause, isNew } = await pauseQueue(context, principal.identity)
    if (isNew) changed({ action: 'queue.pause' })
    await context.records.replicated()
    return { kind: 'json', value: { paused: pause } }
  },
})

export const resume = defineEndpoint({
  method: 'post',
  path: '/1.0/ops/resume',
  summary: 'End the pause of the queue; for tokens with all orgs',
  scope: 'ops:write',
  access: allOrgs,
  answer,
  async handle(context, { changed }) {
    if (await resumeQueue(context)) changed({ action: 'queue.resume' })
    await context.records.replicated()
    return { kind: 'json', value: { paused: null } }
  },
})

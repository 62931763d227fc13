import { Queue } from 'bullmq'
import { type Request, type RequestHandler, Router } from 'express'
import * as errors from '../shared/errors/catalogue.ts'
import { callbackQueueName } from '../shared/jobs/callbacks.ts'
import { queueName, queuePrefix } from '../shared/jobs/queue.ts'
import type { ApiContext } from './context.ts'
import { policy } from './http/docs.ts'

const described = {
  [queueName]: 'Deliveries of jobs to workers. Only the record of a job has its outcome: GET /1.0/jobs/{id}.',
  [callbackQueueName]: 'Callbacks that are due. The record of a job has the state of its callback: GET /1.0/jobs/{id}.',
}

/**
 * A read-only page of the queues, for tokens with `ops:read` and all orgs. Its libraries are loaded when the page is
 * first opened, because an API that nobody opens it on should not need their memory.
 */
export function queuePage(context: ApiContext): Router {
  const router = Router()
  let board: Promise<RequestHandler> | undefined
  router.use(async (request, response, next) => {
    response.locals.route = '/queues'
    if (request.method !== 'GET' && request.method !== 'HEAD') throw errors.methodNotAllowed('GET, HEAD')
    await authorize(context, request)
    response.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' })
    board ??= openBoard(context).catch((error) => {
      board = undefined
      throw error
    })
    const show = await board
    await show(request, response, next)
  })
  return router
}

const challenge = 'Basic realm="queues", charset="UTF-8"'

async function authorize({ authenticate, limitRequests }: ApiContext, request: Request): Promise<void> {
  const [, encoded = ''] = /^Basic +([\w+/]+={0,2})$/i.exec(request.get('Authorization') ?? '') ?? []
  const [, token] = /^[^:]*:([\w.~+/=-]+)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  const principal = token === undefined ? null : await authenticate(token)
  if (principal === null) throw errors.unauthenticated(challenge, 'as the password, with any user name')
  await limitRequests(principal.identity)
  const { scopes, orgs } = principal
  if (!scopes.includes('ops:read') || !orgs.includes('*')) throw errors.scopeMissing('ops:read', ' with all orgs (*)')
}

async function openBoard({ redis }: ApiContext): Promise<RequestHandler> {
  const [{ createBullBoard }, { BullMQAdapter }, { ExpressAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/express'),
  ])
  const queues = Object.entries(described).map(([name, description]) => {
    const queue = new Queue(name, { connection: redis, prefix: queuePrefix })
    // The connection's own listener logs errors. Without a listener here BullMQ would throw the errors that it
    // re-emits.
    queue.on('error', () => {})
    return new BullMQAdapter(queue, { readOnlyMode: true, description })
  })
  const serverAdapter = new ExpressAdapter().setBasePath('/queues')
  const uiConfig = { boardTitle: 'Queues, read only', hideDocsLink: true }
  createBullBoard({ queues, serverAdapter, options: { uiConfig } })
  // The default handler would answer 500 with a driver's text, and log nothing.
  serverAdapter.setErrorHandler((error) => {
    throw error
  })
  return serverAdapter.getRouter().disable('x-powered-by').disable('etag')
}

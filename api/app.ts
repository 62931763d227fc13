import compression from 'compression'
import express, { type Express, type Request, type Response } from 'express'
import * as errors from '../shared/errors/catalogue.ts'
import type { AnswerHealth } from '../shared/observability/health.ts'
import type { ApiContext } from './context.ts'
import { endpoints } from './endpoints.ts'
import { serveHealth } from './health.ts'
import { checkHead } from './http/body/unreadable.ts'
import { handleErrors } from './http/error-handler.ts'
import { setSecurityHeaders } from './http/headers.ts'
import { mountEndpoints } from './http/mount.ts'
import { serveConsole } from './http/pages/console.ts'
import { docs } from './http/pages/docs.ts'
import { parseQuery } from './http/query.ts'
import { logRequests } from './http/request-log.ts'

// Below this size a round trip costs more than the bytes that compression saves.
const compressedFromBytes = 16 * 1024

const isJson = (_request: Request, response: Response) => /json/.test(String(response.getHeader('Content-Type')))

export function createApp(context: ApiContext, health: AnswerHealth): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', parseQuery)
  app.use(logRequests(context))
  app.use(setSecurityHeaders)
  app.use(checkHead)
  // These come first: they need no token, and each request would compress them again.
  app.use(docs(endpoints))
  if (context.config.api.console) {
    app.use('/console', serveConsole())
    app.get('/', (_request, response) => {
      response.locals.route = '/'
      response.redirect(302, '/console')
    })
  }
  app.use(compression({ threshold: compressedFromBytes, filter: isJson }))
  app.use(serveHealth(health))
  app.use(mountEndpoints(context, endpoints))
  app.use(() => {
    throw errors.noSuchPath()
  })
  app.use(handleErrors(context))
  return app
}

import compression from 'compression'
import express, { type Express, type Request, type Response } from 'express'
import * as errors from '../shared/errors/catalogue.ts'
import type { ApiContext } from './context.ts'
import { docs } from './docs.ts'
import { endpoints } from './endpoints.ts'
import { handleErrors } from './error-handler.ts'
import { secureHeaders } from './headers.ts'
import { health } from './health.ts'
import { mountEndpoints } from './mount.ts'
import { parseQuery } from './query.ts'
import { logRequests } from './request-log.ts'
import { checkHead } from './unreadable.ts'

// Below that a round trip costs more than the bytes.
const compressedFromBytes = 16 * 1024

const isJson = (_request: Request, response: Response) => /json/.test(String(response.getHeader('Content-Type')))

export function createApp(context: ApiContext): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', parseQuery)
  app.use(logRequests(context))
  app.use(secureHeaders)
  app.use(checkHead)
  app.use(compression({ threshold: compressedFromBytes, filter: isJson }))
  app.use(health(context))
  app.use(docs(endpoints))
  app.use(mountEndpoints(context, endpoints))
  app.use(() => {
    throw errors.noSuchPath()
  })
  app.use(handleErrors(context))
  return app
}

import express, { type Express } from 'express'
import * as errors from '../shared/errors/catalogue.ts'
import type { ApiContext } from './context.ts'
import { endpoints } from './endpoints.ts'
import { handleErrors } from './error-handler.ts'
import { health } from './health.ts'
import { mountEndpoints } from './mount.ts'
import { logRequests } from './request-log.ts'

export function createApp(context: ApiContext): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple')
  app.use(logRequests(context))
  app.use(health(context))
  app.use(mountEndpoints(context, endpoints))
  app.use(() => {
    throw errors.noSuchPath()
  })
  app.use(handleErrors(context))
  return app
}

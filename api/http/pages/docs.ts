import { accessSync } from 'node:fs'
import { join } from 'node:path'
import express, { Router } from 'express'
import { swaggerFiles, swaggerFolder } from '../../../shared/lifecycle/swagger-ui.ts'
import type { Endpoint } from '../endpoint.ts'
import { openApiDocument } from './openapi.ts'
import { staticAnswer } from './static-answer.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Graph packets</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const start = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, persistAuthorization: false, validatorUrl: null })
`

/** Same origin only, except for a page's inline styles and icons. */
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

/**
 * Serves `/openapi.json` and Swagger UI, without a token and without third-party resources.
 * @throws Error if a file of Swagger UI is missing
 */
export function docs(endpoints: readonly Endpoint[]): Router {
  const document = JSON.stringify(openApiDocument(endpoints))
  for (const name of swaggerFiles) accessSync(join(swaggerFolder, name))
  const router = Router()
  router.get('/openapi.json', staticAnswer('application/json', document))
  router.use('/docs', (_request, response, next) => {
    response.set('Content-Security-Policy', policy)
    next()
  })
  router.get('/docs', (_request, response) => void response.type('html').send(page))
  router.get('/docs/start.js', (_request, response) => void response.type('text/javascript').send(start))
  for (const name of swaggerFiles)
    router.use(`/docs/${name}`, express.static(join(swaggerFolder, name), { maxAge: '1h' }))
  return router
}

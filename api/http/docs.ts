import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import express, { Router } from 'express'
import type { Endpoint } from './endpoint.ts'
import { openApiDocument } from './openapi.ts'
import { staticAnswer } from './static-answer.ts'

const assets = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
const shown = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

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

/** Serves `/openapi.json` and Swagger UI, without a token and without third-party resources. */
export function docs(endpoints: readonly Endpoint[]): Router {
  const document = JSON.stringify(openApiDocument(endpoints))
  const router = Router()
  router.get('/openapi.json', staticAnswer('application/json', document))
  router.use('/docs', (_request, response, next) => {
    response.set('Content-Security-Policy', policy)
    next()
  })
  router.get('/docs', (_request, response) => void response.type('html').send(page))
  router.get('/docs/start.js', (_request, response) => void response.type('text/javascript').send(start))
  for (const name of shown) router.use(`/docs/${name}`, express.static(`${assets}/${name}`, { maxAge: '1h' }))
  return router
}

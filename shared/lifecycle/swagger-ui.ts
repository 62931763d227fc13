import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { builtFile } from './build.ts'

/** The folder of Swagger UI. */
export const swaggerFolder =
  builtFile === null
    ? dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
    : join(import.meta.dirname, 'swagger-ui')

/** The files in it that the page loads. */
export const swaggerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

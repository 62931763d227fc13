import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { builtFile } from './build.ts'

const { resolve } = createRequire(import.meta.url)

/** The folder of Swagger UI: the one of its package, or the copy next to a built program. */
export const swaggerFolder =
  builtFile === null ? dirname(resolve('swagger-ui-dist/package.json')) : join(import.meta.dirname, 'swagger-ui')

/** The files in it that the page loads. */
export const swaggerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

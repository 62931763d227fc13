import { accessSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Router } from 'express'
import { builtFile } from '../../../shared/lifecycle/build.ts'
import { staticAnswer } from './static-answer.ts'

const built = join(import.meta.dirname, builtFile === null ? '../../../console/dist' : 'console')
const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' }

/** Allows only files of this origin, no inline code, and no HTML that scripts build from strings. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/**
 * Serves the console: one page at every path below `/console`, and its files, whose names change with their content.
 * @throws Error if the console is not built
 */
export function serveConsole(directory = built): Router {
  const router = Router()
  const page = staticAnswer('html', readPage(directory))
  for (const name of readdirSync(directory)) {
    const type = types[name.slice(name.lastIndexOf('.'))]
    if (type === undefined) continue
    const answer = staticAnswer(type, readFileSync(join(directory, name), 'utf8'))
    router.get(`/assets/${name}`, (request, response, next) => {
      response.set('Cache-Control', 'public, max-age=31536000, immutable')
      answer(request, response, next)
    })
  }
  router.get(/^\/(?!assets\/)/, (request, response, next) => {
    response.locals.route = '/console'
    response.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' })
    page(request, response, next)
  })
  return router
}

/** The page, if it and the files that it loads first are there. @throws Error if the console is not built */
export function readPage(directory = built): string {
  try {
    const page = readFileSync(join(directory, 'index.html'), 'utf8')
    for (const [, name = ''] of page.matchAll(/\/console\/assets\/([\w.-]+)/g)) accessSync(join(directory, name))
    return page
  } catch {
    throw new Error(
      `CONSOLE is on, but the console is not built: run \`npm run build${builtFile === null ? ':console' : ''}\``,
    )
  }
}

import express, { type Request, type RequestHandler } from 'express'
import type { Principal } from '../shared/auth/principal.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { Budget } from './budget.ts'
import { keyProblem, shapeProblem } from './json-shape.ts'

/**
 * Reads a JSON body within its limits. Contract 3: content type, size, depth, keys. Its bytes are taken from `budget`
 * until the request is answered, for until then the body is held.
 */
export function jsonBody(limitBytes: number, isOptional = false, budget?: Budget): RequestHandler[] {
  const handlers = readers(limitBytes, budget)
  if (!isOptional) return handlers
  return handlers.map((handle) => (request, response, next) => {
    if (hasBody(request)) return handle(request, response, next)
    next()
  })
}

const hasBody = ({ headers }: Request) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function readers(limitBytes: number, budget: Budget | undefined): RequestHandler[] {
  return [
    (request, response, next) => {
      if (!request.is('application/json') || !isUtf8(request)) throw errors.unsupportedMediaType()
      // The parser would read all of it first, from a client that may be slow or never send it.
      if (Number(request.get('Content-Length')) > limitBytes) throw errors.bodyTooLarge(limitBytes)
      if (budget) {
        if (response.closed) throw errors.clientGone()
        const { identity } = response.locals.principal as Principal
        response.once('close', budget(identity, sizeOf(request, limitBytes)))
      }
      next()
    },
    express.json({
      limit: limitBytes,
      strict: false,
      type: 'application/json',
      verify: (_request, _response, bytes) => refuse(shapeProblem(bytes)),
    }),
    (request, _response, next) => {
      refuse(keyProblem(request.body))
      next()
    },
  ]
}

/** How large the body will be at most: a packed one may unfold to anything. */
function sizeOf({ headers }: Request, limitBytes: number): number {
  const length = headers['content-length']
  return length === undefined || headers['content-encoding'] !== undefined ? limitBytes : Number(length)
}

/** What JSON between systems is written in (RFC 8259). */
function isUtf8(request: Request): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(request.get('Content-Type') ?? '') ?? []
  return charset.toLowerCase() === 'utf-8'
}

function refuse(problem: string | null): void {
  if (problem) throw errors.invalidRequest([{ path: '', message: problem }])
}

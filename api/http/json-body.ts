import { isUtf8 } from 'node:buffer'
import express, { type Request, type RequestHandler } from 'express'
import type { Principal } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { Budget } from './budget.ts'
import { keyProblem, shapeOf } from './json-shape.ts'

/**
 * Reads a JSON body within its limits. Contract 3: content type, characters, size, depth, keys. Its bytes are reserved
 * in `budget` until the response closes, because the body stays in memory until then.
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
      if (!request.is('application/json') || !saysUtf8(request)) throw errors.unsupportedMediaType()
      // Checked here because the parser would first read the whole body, from a client that may be slow or stall.
      if (Number(request.get('Content-Length')) > limitBytes) throw errors.bodyTooLarge(limitBytes)
      if (budget) {
        if (response.closed) throw errors.clientGone()
        const { identity } = response.locals.principal as Principal
        response.once('close', budget(identity, sizeOf(request, limitBytes)))
      }
      next()
    },
    express.raw({ limit: limitBytes, type: 'application/json' }),
    (request, _response, next) => {
      if (Buffer.isBuffer(request.body)) request.body = parsed(request.body)
      next()
    },
  ]
}

/** Refuses invalid UTF-8 and duplicate keys, which the decoder and the parser would silently replace or drop. */
function parsed(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  if (!isUtf8(bytes)) refuse('the body must be UTF-8')
  const { problem, keys } = shapeOf(bytes)
  refuse(problem)
  const text = new TextDecoder().decode(bytes)
  const body = parsedJson(text)
  refuse(keyProblem(body, text, keys))
  return body
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw errors.malformedJson()
  }
}

/** Upper bound of the body's size: a compressed body may expand up to the limit. */
function sizeOf({ headers }: Request, limitBytes: number): number {
  const length = headers['content-length']
  return length === undefined || headers['content-encoding'] !== undefined ? limitBytes : Number(length)
}

/** UTF-8 is the only encoding of JSON between systems (RFC 8259). */
function saysUtf8(request: Request): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(request.get('Content-Type') ?? '') ?? []
  return ['utf-8', 'utf8'].includes(charset.toLowerCase())
}

function refuse(problem: string | null): void {
  if (problem) throw errors.invalidRequest([{ path: '', message: problem }])
}

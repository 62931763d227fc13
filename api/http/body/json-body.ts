import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import type { Request, RequestHandler, Response } from 'express'
import pLimit from 'p-limit'
import type { Principal } from '../../../shared/auth/principal.ts'
import * as errors from '../../../shared/errors/catalogue.ts'
import type { Budget, Reservation } from './budget.ts'
import { keyProblem, shapeOf } from './json-shape.ts'
import { receiveBody } from './receive-body.ts'

/** Bodies up to this size do not count against the budget, so large bodies never cause a small one to be refused. */
const freeBytes = 16 * 1024
/** Bodies above this size are parsed one at a time. */
const largeBytes = 1024 * 1024

/**
 * Reads a JSON body within its limits. Contract 3: content type, characters, size, depth, keys. Reserves the memory of
 * the body in `budget` while it arrives, until `releaseBody` is called or the response closes.
 */
export function jsonBody(limitBytes: number, isOptional = false, budget?: Budget): RequestHandler[] {
  const read: RequestHandler = async (request, response, next) => {
    if (isOptional && !hasBody(request)) return next()
    if (!request.is('application/json') || !saysUtf8(request)) throw errors.unsupportedMediaType()
    // Check the length now: otherwise the whole body would be read first, from a client that may be slow or stall.
    if (Number(request.get('Content-Length')) > limitBytes) throw errors.bodyTooLarge(limitBytes)
    if (response.closed) throw errors.clientGone()
    const reserved = budget?.((response.locals.principal as Principal).identity, 0)
    if (reserved) response.once('close', reserved)
    response.locals.body = reserved
    try {
      request.body = await bodyOf(request, response, limitBytes, reserved)
    } catch (error) {
      reserved?.()
      // Otherwise Node would wait for the rest of a body that may never arrive.
      if (!request.complete) response.set('Connection', 'close')
      throw error
    }
    next()
  }
  return [read]
}

/** Releases the memory reserved for a request's body. Call it when nothing refers to the body any more. */
export function releaseBody({ locals }: Response): void {
  const reserved: Reservation | undefined = locals.body
  reserved?.()
}

const hasBody = ({ headers }: Request) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

async function bodyOf(
  request: Request,
  response: Response,
  limitBytes: number,
  reserved: Reservation | undefined,
): Promise<unknown> {
  let received = 0
  const bytes = await receiveBody(request, limitBytes, (more) => {
    received += more
    reserved?.add(Math.min(more, Math.max(0, received - freeBytes)))
  })
  if (received <= largeBytes) return parsed(bytes, reserved, () => {})
  return oneAtATime(async () => {
    if (response.closed) throw errors.clientGone()
    return parsed(bytes, reserved, setImmediate)
  })
}

/** Large bodies wait for each other, because each takes several times its size in memory while it is parsed. */
const oneAtATime = pLimit(1)

/**
 * Refuses invalid UTF-8 and duplicate keys, which the decoder and the parser would silently replace or drop. `pause`
 * lets other requests proceed between the steps.
 */
async function parsed(bytes: Buffer, reserved: Reservation | undefined, pause: () => unknown): Promise<unknown> {
  if (bytes.length === 0) return {}
  if (!isUtf8(bytes)) refuse('the body must be UTF-8')
  const { problem, keys, heapBytes } = shapeOf(bytes)
  refuse(problem)
  if (bytes.length > freeBytes) reserved?.add(heapBytes)
  await pause()
  const text = new TextDecoder().decode(bytes)
  await pause()
  const body = parsedJson(text)
  await pause()
  refuse(keyProblem(body, text, keys))
  if (bytes.length > freeBytes) reserved?.add(freeBytes - bytes.length)
  await pause()
  return body
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw errors.malformedJson()
  }
}

/** UTF-8 is the only encoding of JSON between systems (RFC 8259). */
function saysUtf8(request: Request): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(request.get('Content-Type') ?? '') ?? []
  return ['utf-8', 'utf8'].includes(charset.toLowerCase())
}

function refuse(problem: string | null): void {
  if (problem) throw errors.invalidRequest([{ path: '', message: problem }])
}

import express, { type Request, type RequestHandler } from 'express'
import * as errors from '../shared/errors/catalogue.ts'

const maxDepth = 32
const forbiddenKeys = ['__proto__', 'constructor', 'prototype']

/** Reads a JSON body within its limits. Contract 3: content type, size, depth, keys. */
export function jsonBody(limitBytes: number, isOptional = false): RequestHandler[] {
  const handlers = readers(limitBytes)
  if (!isOptional) return handlers
  return handlers.map((handle) => (request, response, next) => {
    if (hasBody(request)) return handle(request, response, next)
    next()
  })
}

const hasBody = ({ headers }: Request) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function readers(limitBytes: number): RequestHandler[] {
  return [
    (request, _response, next) => {
      if (!request.is('application/json')) throw errors.unsupportedMediaType()
      // The parser would read all of it first, from a client that may be slow or never send it.
      if (Number(request.get('Content-Length')) > limitBytes) throw errors.bodyTooLarge(limitBytes)
      next()
    },
    express.json({ limit: limitBytes, strict: false, type: 'application/json' }),
    (request, _response, next) => {
      const problem = bodyProblem(request.body)
      if (problem) throw errors.invalidRequest([{ path: '', message: problem }])
      next()
    },
  ]
}

function bodyProblem(body: unknown): string | null {
  const open: { value: unknown; depth: number }[] = [{ value: body, depth: 1 }]
  for (let at = open.pop(); at; at = open.pop()) {
    if (typeof at.value !== 'object' || at.value === null) continue
    if (at.depth > maxDepth) return `the body must be at most ${maxDepth} levels deep`
    for (const key of Array.isArray(at.value) ? [] : Object.keys(at.value)) {
      if (forbiddenKeys.includes(key)) return `the body must not have a key named ${key}`
    }
    for (const value of Object.values(at.value)) open.push({ value, depth: at.depth + 1 })
  }
  return null
}

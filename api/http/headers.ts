import type { RequestHandler } from 'express'

export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

/**
 * API responses are data, so browsers must not sniff, frame or execute them. Responses below `/1.0/` contain
 * statements, presigned URLs or names, so caches must not store them.
 */
export const setSecurityHeaders: RequestHandler = (request, response, next) => {
  response.set(securityHeaders)
  if (request.path.startsWith('/1.0/')) response.set('Cache-Control', 'no-store')
  next()
}

import type { RequestHandler } from 'express'

export const secure = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

/**
 * An API's answers are data: never sniffed, framed or run. Those below `/1.0/` hold statements, presigned URLs or names
 * that no cache should keep.
 */
export const secureHeaders: RequestHandler = (request, response, next) => {
  response.set(secure)
  if (request.path.startsWith('/1.0/')) response.set('Cache-Control', 'no-store')
  next()
}

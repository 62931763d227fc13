import { type ParsedUrlQuery, parse } from 'node:querystring'
import { z } from 'zod'
import * as errors from '../../shared/errors/catalogue.ts'

const mostParameters = 1_000

/**
 * The parameters of a query, of which a repeated one comes as a list. Node's own parser drops those beyond a thousand, and
 * reads what is not validly encoded as something else.
 */
export function parseQuery(text: string | null): ParsedUrlQuery {
  const query = text ?? ''
  if (query.split('&').length > mostParameters) throw refused(`have at most ${mostParameters} parameters`)
  try {
    decodeURIComponent(query)
  } catch {
    throw refused('be validly percent-encoded')
  }
  return parse(query, '&', '=', { maxKeys: 0 })
}

const refused = (rule: string) => errors.invalidRequest([{ path: '', message: `the query must ${rule}` }])

/** One value. A parameter that is repeated comes as a list. */
export const once = z
  .custom<string>((value) => typeof value === 'string', 'must be given once')
  .meta({ override: { type: 'string' } })

/** One of some words. */
export const word = <const Words extends readonly string[]>(words: Words) =>
  once.pipe(z.enum(words)).meta({ override: { type: 'string', enum: [...words] } })

/** A whole number in a query, within bounds; each endpoint gives its own. */
export const wholeNumber = (least: number, most: number) =>
  once
    .refine((text) => /^\d{1,9}$/.test(text), {
      message: `must be a whole number from ${least} to ${most}`,
      abort: true,
    })
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`)
    .meta({ override: { type: 'integer', minimum: least, maximum: most, pattern: undefined } })

export const trueOrFalse = word(['true', 'false']).transform((value) => value === 'true')

/** One value, or several of a repeated parameter. */
export const repeated = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat())

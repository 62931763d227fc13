import { type ParsedUrlQuery, parse } from 'node:querystring'
import { z } from 'zod'
import * as errors from '../../shared/errors/catalogue.ts'

/** Parameters of a query. Beyond this limit the answer is `400 invalidRequest`. */
const maxParameters = 1_000

/**
 * Parses a query; a repeated parameter becomes a list. Refuses more than 1,000 parameters and invalid percent-encoding,
 * which Node's parser would by default drop or misread.
 */
export function parseQuery(text: string | null): ParsedUrlQuery {
  const query = text ?? ''
  if (query.split('&').length > maxParameters) throw refused(`have at most ${maxParameters} parameters`)
  try {
    decodeURIComponent(query)
  } catch {
    throw refused('be validly percent-encoded')
  }
  return parse(query, '&', '=', { maxKeys: 0 })
}

const refused = (rule: string) => errors.invalidRequest([{ path: '', message: `the query must ${rule}` }])

/**
 * Characters of a query parameter. Beyond this limit the answer is `400 invalidRequest`. Every `next` of a list is
 * shorter: for constraints it has two keys, as JSON in base64.
 */
const longestValue = 4_096

/** Exactly one value: a repeated parameter, which arrives as a list, is refused. */
export const once = z
  .custom<string>((value) => typeof value === 'string' && value.length <= longestValue, {
    error: ({ input }) =>
      typeof input === 'string' ? `must be at most ${longestValue} characters` : 'must be given once',
  })
  .meta({ override: { type: 'string', maxLength: longestValue } })

/** One of the given words. */
export const word = <const Words extends readonly string[]>(words: Words) =>
  once.pipe(z.enum(words)).meta({ override: { type: 'string', enum: [...words] } })

/** A whole number from `min` to `max`. */
export const wholeNumber = (min: number, max: number) =>
  once
    .refine((text) => /^\d{1,9}$/.test(text), {
      message: `must be a whole number from ${min} to ${max}`,
      abort: true,
    })
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)
    .meta({ override: { type: 'integer', minimum: min, maximum: max, pattern: undefined } })

export const trueOrFalse = word(['true', 'false']).transform((value) => value === 'true')

/** A parameter that may be repeated, as a list. */
export const repeated = (value: z.ZodType<string>) =>
  z.union([value, z.array(value)]).transform((values) => [values].flat())

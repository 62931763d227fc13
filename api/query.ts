import { z } from 'zod'

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

import { z } from 'zod'

/** A whole number in a query, within bounds; each endpoint gives its own. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`)
    .meta({ override: { type: 'integer', minimum: least, maximum: most, pattern: undefined } })

export const trueOrFalse = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true')

/** One value, or several of a repeated parameter. */
export const repeated = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat())

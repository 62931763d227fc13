import { z } from 'zod'
import { maxIssues } from '../errors/app-error.ts'

/**
 * Violations that one answer reports of a list, a map or unknown fields. Beyond this limit the answer only counts the
 * rest. Contract 3.
 */
export const maxIssuesOfOne = 100

type IsValid = (value: unknown) => boolean
type RawIssues = z.core.$RefinementCtx['issues']

/**
 * A list that is parsed element by element, until a bounded number of elements are invalid. A plain schema list would
 * allocate an object for each invalid element.
 * @param items the documented schema of an element.
 * @param isValid a cheap test that an element is valid as it is.
 */
export function listOf<T>(element: z.ZodType<T>, items: object, isValid: IsValid = () => false, most?: number) {
  const read = (given: unknown, context: z.core.$RefinementCtx): T[] => {
    if (!Array.isArray(given)) return refused(context, 'array', given)
    if (most !== undefined && given.length > most) {
      context.addIssue(`must have at most ${most} elements`)
      return z.NEVER
    }
    const values: T[] = []
    let invalid = 0
    for (let index = 0; index < given.length; index++) {
      const value: unknown = given[index]
      const parsed = isValid(value) ? null : element.safeParse(value, { reportInput: true })
      if (parsed?.error) {
        addIssues(context.issues, parsed.error, index)
        if (++invalid < maxIssuesOfOne) continue
        addUnchecked(context, given.length - index - 1, 'elements', `[${index}]`)
        break
      }
      values.push(parsed === null ? (value as T) : parsed.data)
    }
    return values
  }
  return z
    .unknown()
    .transform(read)
    .meta({ override: { type: 'array', items } })
}

/** Like `listOf`, for a map; keys and values stay unchanged. @param values the documented schema of a value. */
export function mapOf<T>(key: z.ZodType<string>, value: z.ZodType<T>, values: object, isValid: IsValid = () => false) {
  const read = (given: unknown, context: z.core.$RefinementCtx): Record<string, T> => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return refused(context, 'record', given)
    const entries = Object.entries(given)
    let invalid = 0
    for (const [index, [name, one]] of entries.entries()) {
      const isValidAsIs = isValid(name) && isValid(one)
      const error = isValidAsIs ? null : (key.safeParse(name).error ?? value.safeParse(one).error)
      if (!error) continue
      addIssues(context.issues, error, name)
      if (++invalid < maxIssuesOfOne && context.issues.length < maxIssues) continue
      addUnchecked(context, entries.length - index - 1, 'entries', 'these')
      break
    }
    return given as Record<string, T>
  }
  return z
    .unknown()
    .transform(read)
    .meta({ override: { type: 'object', additionalProperties: values } })
}

function refused(context: z.core.$RefinementCtx, expected: 'array' | 'record', input: unknown): never {
  context.issues.push({ code: 'invalid_type', expected, input })
  return z.NEVER
}

function addIssues(issues: RawIssues, error: z.ZodError, at: PropertyKey): void {
  for (const issue of error.issues) issues.push({ ...issue, path: [at, ...issue.path] } as RawIssues[number])
}

function addUnchecked(context: z.core.$RefinementCtx, rest: number, what: string, last: string): void {
  if (rest > 0) context.addIssue(`has too many invalid ${what}: the ${rest} after ${last} were not checked`)
}

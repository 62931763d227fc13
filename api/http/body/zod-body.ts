import type { z } from 'zod'
import type { Issue } from '../../../shared/errors/app-error.ts'
import { issuesOf } from '../../../shared/validation/issues.ts'
import type { BodyReader } from '../endpoint.ts'

/** A body reader that validates with a single schema. */
export const zodBody = <Body>(schema: z.ZodType<Body>, limitBytes: number, example: object): BodyReader<Body> => ({
  limitBytes,
  schema,
  example,
  read(body) {
    const parsed = schema.safeParse(body, { reportInput: true })
    // The value is never used: a request with issues is refused.
    return parsed.success
      ? { value: parsed.data, issues: [] }
      : { value: undefined as Body, issues: issuesOf(parsed.error, schema).map(withBody) }
  },
})

/** An issue of the whole body has no path, so its message names the body. */
const withBody = ({ path, message }: Issue): Issue => ({ path, message: path === '' ? `the body ${message}` : message })

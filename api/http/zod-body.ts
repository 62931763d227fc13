import type { z } from 'zod'
import type { Issue } from '../../shared/errors/app-error.ts'
import { issuesOf } from '../../shared/validation/issues.ts'
import type { BodyReader } from './endpoint.ts'

/** A body that one schema describes. */
export const zodBody = <Body>(schema: z.ZodType<Body>, limitBytes: number, example: object): BodyReader<Body> => ({
  limitBytes,
  schema,
  example,
  read(body) {
    const parsed = schema.safeParse(body, { reportInput: true })
    // With issues the value is never used: the request is refused.
    return parsed.success
      ? { value: parsed.data, issues: [] }
      : { value: undefined as Body, issues: issuesOf(parsed.error, schema).map(withBody) }
  },
})

/** A rule that the whole body breaks has no field to name. */
const withBody = ({ path, message }: Issue): Issue => ({ path, message: path === '' ? `the body ${message}` : message })

import { z } from 'zod'
import { dryRunBody } from '../../wire/dry-run.ts'
import { publishResponseBody } from '../../wire/publish-response.ts'
import { trueOrFalse } from '../http/query.ts'

/** The answer of a publish; with `dryRun=true` a description of the packet. */
export const publishOrDryRun = z.union([publishResponseBody, z.object({ dryRun: dryRunBody })])

/** The query parameter of both endpoints that publish. */
export const dryRun = trueOrFalse.optional().meta({
  description: 'true: answer what the publish would make, and store nothing; orgName and fileName may be absent',
})

/** Whether a query asks for a dry run; an invalid query does not. */
export const isDryRun = (query: unknown): boolean => (query as { dryRun?: boolean } | undefined)?.dryRun === true

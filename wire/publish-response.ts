import { z } from 'zod'

/** A statement/parameter pair. */
export const statement = z
  .object({
    statement: z.string(),
    parameters: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'Statement' })

const packet = z.object({ statements: z.array(statement) }).meta({ id: 'Packet' })

/** Seed, Publish response object: every field is always present. */
export const publishResponseBody = z
  .object({
    transactionRequest: packet.nullable(),
    transactionRequests: z.array(packet).nullable(),
    fileLocation: z.string().nullable(),
    fileLocations: z.array(z.string()).nullable(),
    fileNames: z.array(z.string()).nullable(),
    error: z.string().nullable(),
    usePrefixes: z.boolean().nullable(),
  })
  .meta({ id: 'PublishResponse' })

/** Response of the two endpoints that list files. */
export const fileListBody = publishResponseBody
  .extend({
    expiresAt: z
      .array(z.iso.datetime().nullable())
      .describe('when each of `fileNames` expires, in their order; null: never'),
    next: z.string().nullable().describe('the `after` of the next page; null on the last one'),
  })
  .meta({ id: 'FileList' })

export type FileList = z.infer<typeof fileListBody>

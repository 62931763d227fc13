import { z } from 'zod'

/** The names that an origin knows, for people who write a request. Contract 7.15. */
export const originNames = z
  .object({
    labels: z.array(z.string()),
    relationshipTypes: z.array(z.string()),
    identities: z
      .array(z.object({ label: z.string(), property: z.string() }))
      .nullable()
      .describe('the properties that constraints make unique for a label; null if the origin does not say'),
    isCut: z.boolean().describe('whether one of the lists would have more'),
  })
  .meta({ id: 'OriginNames' })
export type OriginNames = z.infer<typeof originNames>

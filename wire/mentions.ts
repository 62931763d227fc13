import { z } from 'zod'

/** Why a packet may name ids that a search does not find in it. */
export const whyUnknown = z.enum(['noState', 'masked', 'deletions', 'keepLists', 'tooManyKinds', 'damaged'])
export type WhyUnknown = z.infer<typeof whyUnknown>

/** Which packets name nodes by some ids. Contract 7.14. */
export const mentions = z
  .object({
    packets: z
      .array(z.object({ fileName: z.string(), generation: z.int().positive(), ids: z.array(z.string()) }))
      .describe('packets that name some of the ids, with these'),
    unknown: z
      .array(z.object({ fileName: z.string(), reason: whyUnknown }))
      .describe('packets that may name ids which were not found in them, and why'),
    next: z.string().nullable().describe('the `after` of the next page; null on the last one'),
  })
  .meta({ id: 'Mentions' })
export type Mentions = z.infer<typeof mentions>

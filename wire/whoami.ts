import { z } from 'zod'

export const scopes = [
  'publish:read',
  'publish:write',
  'manager:read',
  'manager:write',
  'search:read',
  'ops:read',
  'ops:write',
] as const

export const whoamiBody = z.object({
  name: z.string(),
  orgs: z.array(z.string()),
  scopes: z.array(z.enum(scopes)),
  expiresAt: z.iso.datetime().nullable().meta({ description: 'Null for a static token' }),
})

export type WhoAmI = z.infer<typeof whoamiBody>

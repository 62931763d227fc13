import { z } from 'zod'

const exportedElement = z.looseObject({ key: z.string() })
export const exported = z
  .object({
    properties: z.array(exportedElement),
    nodeTypes: z.array(exportedElement.extend({ properties: z.array(exportedElement) })),
  })
  .meta({ description: 'A document for import, without null and false values' })

export type Model = z.infer<typeof exported>

import { z } from 'zod'
import { flags, property, propertyImpl, type Resource } from '../../shared/models/resources.ts'

const fieldSchema = (field: string, alwaysNull: boolean) => {
  if (alwaysNull) return z.null()
  if (field === 'number') return z.int()
  return flags.includes(field) ? z.boolean().nullable() : z.string().nullable()
}

/** A record in the OpenAPI document. Seed, Manager-area resources. */
const recordSchema = (resource: Resource) =>
  z
    .object({
      id: z.int(),
      labels: z.array(z.string()),
      enver: z.int(),
      createdAt: z.iso.datetime(),
      updatedAt: z.iso.datetime(),
      createdBy: z.string(),
      lastModifiedBy: z.string(),
      grn: z.string(),
      ...Object.fromEntries(
        resource.fields.map((field) => [field, fieldSchema(field, resource.alwaysNull.includes(field))]),
      ),
      grnType: z.literal(resource.grnType),
      label: z.literal(resource.label),
      // Additive, in lists: keys of an implementation's node type and property; a property's implementation.
      ...(resource === propertyImpl ? { nodeType: z.string().optional(), property: z.string().optional() } : {}),
      ...(resource === property ? { propertyImpl: recordSchemas(propertyImpl).optional() } : {}),
    })
    .meta({ id: resource.label })

const known = new Map<Resource, z.ZodType>()

/** One schema per resource, so that the OpenAPI document defines it once. */
function recordSchemas(resource: Resource): z.ZodType {
  const schema = known.get(resource) ?? recordSchema(resource)
  known.set(resource, schema)
  return schema
}

/** Of one record, of one of these kinds. */
export function oneOf(resources: Resource | readonly Resource[]): z.ZodType {
  const [one, ...others] = [resources].flat().map((kind) => z.object({ [kind.one]: recordSchemas(kind) }))
  return others.length === 0 ? (one as z.ZodType) : z.union([one as z.ZodType, ...others])
}
export const listOf = (resource: Resource): z.ZodType =>
  z.object({ [resource.many]: z.array(recordSchemas(resource)), next: z.string().optional() })
export const nothing: z.ZodType = z.object({})

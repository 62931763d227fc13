import { z } from 'zod'
import { type GrnType, grnOf, isMeantAsGrn } from './grn.ts'
import type { ResourceFields } from './resources.ts'

/** Characters of a name or a key. Beyond this limit the answer is `400 invalidRequest`. */
const longestName = 255
/** Characters of a definition. Beyond this limit the answer is `400 invalidRequest`. */
const longestDefinition = 10_000
/**
 * Characters of any other text, a word or a line. Beyond this limit the answer is `400 invalidRequest`. Lists have
 * thousands of these texts.
 */
const longestText = 1_000

const wellFormed = z.string().refine((text) => text.isWellFormed(), 'must be valid Unicode')
const textUpTo = (longest: number) => wellFormed.max(longest, `must be at most ${longest} characters`)
const text = textUpTo(longestText)
const definition = textUpTo(longestDefinition)

/** Rules of names, as a regular expression in the OpenAPI document. */
const namePattern = (withoutBackslash: boolean) => `^(?!grn:)(?=.*\\S)[^\\p{Cc}${withoutBackslash ? '\\\\' : ''}]+$`
const nameRules = 'not blank, without control characters, not starting with `grn:`'

/** A key or a name, but not a grn, because some paths accept either. */
export const name = wellFormed
  .max(longestName, `must be at most ${longestName} characters`)
  .refine((value) => value.trim() !== '', 'must not be blank')
  .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
  .refine((value) => !isMeantAsGrn(value), 'must not start with "grn:"')
  .meta({ pattern: namePattern(false), description: nameRules })

/** A name for a new or renamed record, normalized like file names. Some existing names are not normalized. */
const newName = name
  .refine((value) => value.normalize('NFC') === value, 'must be in Unicode normalization form C')
  .meta({ description: `in Unicode normalization form C, ${nameRules}` })

/** A node type's key is a label, which is quoted in statements. */
const labelName = newName
  .refine((value) => !value.includes('\\'), 'must not contain a backslash')
  .meta({
    pattern: namePattern(true),
    description: `in Unicode normalization form C, without a backslash, ${nameRules}`,
  })

/** The path parameter of a record, where either its grn or its name is accepted. */
export const grnOrName = (type: GrnType) =>
  z.string().superRefine((text, context) => {
    const parsed = (isMeantAsGrn(text) ? grnOf(type) : name).safeParse(text)
    for (const { message } of parsed.error?.issues ?? []) context.addIssue(message)
  })

const flag = z.boolean().nullish()

/** Seed, note 1: requests say `isEditable` where records say `editable`. Either is accepted, but not both. */
const access = { isEditable: flag, isDeletable: flag, editable: flag, deletable: flag }
const aliases: Record<string, string> = { isEditable: 'editable', isDeletable: 'deletable' }

/** JSON Schema of a body that has a field. Null is the same as absent. */
const sent = (field: string) => ({ required: [field], properties: { [field]: { not: { type: 'null' } } } })
const notBoth = ([alias, field]: [string, string]) => ({ not: { allOf: [sent(alias), sent(field)] } })

const propertyTexts = {
  dataType: text.nullish(),
  definition: definition.nullish(),
  displayValue: text.nullish(),
  ...access,
}
const nodeTypeTexts = { namespace: text.nullish(), definition: definition.nullish(), displayValue: text.nullish() }

export const managerFields = fields({ name: newName })
export const versionFields = fields({ name: newName.nullish() })
export const newProperty = fields({ key: newName, ...propertyTexts })
export const propertyChanges = changes({ key: newName.nullish(), ...propertyTexts })
export const newNodeType = fields({ key: labelName, ...nodeTypeTexts })
export const nodeTypeChanges = changes({ key: labelName.nullish(), ...nodeTypeTexts })
/** An implementation takes the property's key, so a key that is sent is accepted but not stored. */
export const newPropertyImpl = fields({ key: name.nullish(), displayValue: text.nullish() })
export const propertyImplChanges = changes({
  displayValue: text.nullish(),
  unique: flag,
  indexed: flag,
  required: flag,
  sensitive: flag,
  ...access,
})

/** Elements of the document of a whole version, as imported. */
export const documentedProperty = fields({ key: newName, ...propertyTexts })
const documentedImpl = fields({
  key: newName,
  displayValue: text.nullish(),
  unique: flag,
  indexed: flag,
  required: flag,
  sensitive: flag,
  ...access,
})
export const documentedNodeType = fields({
  key: labelName,
  ...nodeTypeTexts,
  properties: z
    .array(documentedImpl)
    .nullish()
    .transform((implementations) => implementations ?? [])
    .meta({ description: 'implementations; each key is that of one of the properties of the document' }),
})

/** An object with exactly these fields; null and absent are equivalent. `rules` are added to the documented schema. */
function fields<Shape extends z.ZodRawShape>(shape: Shape, rules: object = {}) {
  const pairs = Object.entries(aliases).filter(([alias]) => alias in shape)
  return z
    .strictObject(shape)
    .meta({ override: { ...rules, ...(pairs.length > 0 ? { allOf: pairs.map(notBoth) } : {}) } })
    .superRefine((given: ResourceFields, context) => {
      for (const [alias, field] of pairs) {
        if (isGiven(given[alias]) && isGiven(given[field]))
          context.addIssue({ code: 'custom', path: [alias], message: `must not be given together with ${field}` })
      }
    })
    .transform((given) => withoutAliases(given) as GivenFields<Shape>)
}

/** Like `fields`, but requires at least one. An empty string clears the stored value. */
function changes<Shape extends z.ZodRawShape>(shape: Shape) {
  return fields(shape, { anyOf: Object.keys(shape).map(sent) })
    .refine((given) => Object.keys(given).length > 0, `must have at least one of ${Object.keys(shape).join(', ')}`)
    .transform(
      (given) =>
        Object.fromEntries(
          Object.entries(given).map(([field, value]) => [field, value === '' ? null : value]),
        ) as ResourceFields,
    )
}

type GivenFields<Shape extends z.ZodRawShape> = ResourceFields & z.output<z.ZodObject<Shape>>

const isGiven = (value: unknown) => value !== undefined && value !== null
const withoutAliases = (given: ResourceFields): ResourceFields =>
  Object.fromEntries(
    Object.entries(given).flatMap(([field, value]) => (isGiven(value) ? [[aliases[field] ?? field, value]] : [])),
  )

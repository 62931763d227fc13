import { z } from 'zod'
import { type GrnType, grnOf, isMeantAsGrn } from './grn.ts'
import type { Fields } from './resources.ts'

const longestName = 255
const longestText = 10_000

const wellFormed = z.string().refine((text) => text.isWellFormed(), 'must be valid Unicode')
const text = wellFormed.max(longestText, `must be at most ${longestText} characters`)

/** A key or a name. No grn, for some paths take either. */
export const name = wellFormed
  .max(longestName, `must be at most ${longestName} characters`)
  .refine((value) => value.trim() !== '', 'must not be blank')
  .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
  .refine((value) => !isMeantAsGrn(value), 'must not start with "grn:"')

/** What names a record in a path that takes its grn or its name. */
export const grnOrName = (type: GrnType) =>
  z.string().superRefine((text, context) => {
    const parsed = (isMeantAsGrn(text) ? grnOf(type) : name).safeParse(text)
    for (const { message } of parsed.error?.issues ?? []) context.addIssue(message)
  })

const flag = z.boolean().nullish()

/** Seed, note 1: requests say `isEditable` where records say `editable`. Either is taken, not both. */
const access = { isEditable: flag, isDeletable: flag, editable: flag, deletable: flag }
const propertyTexts = { dataType: text.nullish(), definition: text.nullish(), displayValue: text.nullish(), ...access }
const nodeTypeTexts = { namespace: text.nullish(), definition: text.nullish(), displayValue: text.nullish() }

export const managerFields = fields({ name: name })
export const versionFields = fields({ name: name.nullish() })
export const newProperty = fields({ key: name, ...propertyTexts })
export const propertyChanges = changes({ key: name.nullish(), ...propertyTexts })
export const newNodeType = fields({ key: name, ...nodeTypeTexts })
export const nodeTypeChanges = changes({ key: name.nullish(), ...nodeTypeTexts })
/** The key of the property is the implementation's too: one that is sent is taken and not stored. */
export const newPropertyImpl = fields({ key: name.nullish(), displayValue: text.nullish() })
export const propertyImplChanges = changes({
  displayValue: text.nullish(),
  unique: flag,
  indexed: flag,
  required: flag,
  ...access,
})

/** An object of these fields and no others; null and absent are the same. */
function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject(shape)
    .superRefine((given: Fields, context) => {
      for (const [alias, field] of Object.entries(aliases)) {
        if (isGiven(given[alias]) && isGiven(given[field]))
          context.addIssue({ code: 'custom', path: [alias], message: `must not be given beside ${field}` })
      }
    })
    .transform((given) => withoutAliases(given) as Given<Shape>)
}

/** As `fields`, at least one of them. */
function changes<Shape extends z.ZodRawShape>(shape: Shape) {
  return fields(shape).refine(
    (given) => Object.keys(given).length > 0,
    `must have at least one of ${Object.keys(shape).join(', ')}`,
  )
}

type Given<Shape extends z.ZodRawShape> = Fields & z.output<z.ZodObject<Shape>>

const aliases: Record<string, string> = { isEditable: 'editable', isDeletable: 'deletable' }
const isGiven = (value: unknown) => value !== undefined && value !== null
const withoutAliases = (given: Fields): Fields =>
  Object.fromEntries(
    Object.entries(given).flatMap(([field, value]) => (isGiven(value) ? [[aliases[field] ?? field, value]] : [])),
  )

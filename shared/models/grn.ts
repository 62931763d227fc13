import { randomBytes } from 'node:crypto'
import { z } from 'zod'

export const grnTypes = ['manager', 'managerversion', 'property', 'propertyimpl', 'nodetype', 'constraint'] as const
export type GrnType = (typeof grnTypes)[number]

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 44
// Accepts ids of other forms: these grns name no existing record, or an org of another system.
const grammar = /^grn:[\w-]{1,64}:([a-z]{1,64}):[\w-]{1,128}$/

/** Generates a resource name, `grn:gg:<type>:<44 characters base62>`. Contract 10. */
export function newGrn(type: GrnType): string {
  let id = ''
  while (id.length < idLength)
    // Six bits per character. The loop skips the two surplus values, so that all characters are equally likely.
    for (const byte of randomBytes(idLength)) if (id.length < idLength) id += base62[byte & 63] ?? ''
  return `grn:gg:${type}:${id}`
}

/** The type of a well-formed grn; null for any other text. */
export const grnTypeOf = (text: string): string | null => grammar.exec(text)?.[1] ?? null

/** The org name in an org's grn. */
export const orgNameOf = (orgGrn: string): string => orgGrn.slice(orgGrn.lastIndexOf(':') + 1)

/** Whether a path parameter that accepts a grn or a name is a grn, possibly malformed: no name has this prefix. */
export const isMeantAsGrn = (text: string): boolean => text.startsWith('grn:')

/** Schema of a grn of one of these types. */
export const grnOf = (...types: readonly (GrnType | 'org')[]) =>
  z
    .string()
    .superRefine((text, context) => {
      const type = grnTypeOf(text)
      const expected = `a grn of type ${types.join(' or ')}`
      if (type === null) context.addIssue(`must be ${expected}, of the form grn:<ns>:<type>:<id>`)
      else if (!types.some((one) => one === type)) context.addIssue(`must be ${expected}, not ${type}`)
    })
    .meta({ pattern: grammar.source.replace('[a-z]{1,64}', types.join('|')) })

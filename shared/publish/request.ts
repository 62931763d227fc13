import { z } from 'zod'
import { isQuotable } from '../cypher/identifiers.ts'
import type { Issue } from '../errors/app-error.ts'
import { issuesOf, unknownField } from '../errors/issues.ts'
import { parseDbUrl } from '../origin/db-url.ts'
import { fileName, orgName } from '../storage/names.ts'
import { parseRelationshipType } from './relationship-types.ts'

const list = z.array(z.string())
/** A label, type or property key that a statement can name. */
export const identifier = z.string().refine(isQuotable, {
  message: 'must be non-empty, without backslashes, control characters or lone surrogates',
})
const names = z.array(identifier)
const types = z.array(
  z.string().transform((text, context) => {
    const parsed = parseRelationshipType(text)
    if (parsed) return parsed
    context.addIssue({ code: 'custom', message: 'must be TYPE, TYPE> (outgoing), <TYPE (incoming) or `TYPE`' })
    return z.NEVER
  }),
)
const dbUrl = z.string().superRefine((text, context) => {
  const parsed = parseDbUrl(text)
  if ('problem' in parsed) context.addIssue({ code: 'custom', message: parsed.problem })
})
const credentials = z
  .string()
  .refine((text) => /^Basic [A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text.slice(6), 'base64').includes(':'), {
    message: 'must be "Basic " followed by the base64 of username:password',
  })
const flag = z.boolean()

/** Every field of a publish request by itself; the rules between fields are in `rules.ts`. Seed, Publish request. */
export const publishFields = {
  dbUrl,
  credentials,
  mappedIndices: z.record(identifier, identifier),
  index: identifier,
  originIds: list,
  relationshipIds: list,
  hardFilterRelationships: flag,
  toLayer: types,
  relationships: types,
  preventCleanup: flag,
  relationshipIdField: identifier,
  metadata: flag,
  deleteProperties: names,
  timestampRelationships: flag,
  timestampProperty: identifier,
  relationshipDeleteOnly: flag,
  deleteRelationshipById: flag,
  targetFilter: identifier,
  protectedNodeProperties: names,
  protectedRelationshipProperties: names,
  dynamicLabels: z.record(identifier, names),
  postbackTimestamp: flag,
  returnOnly: flag,
  orgName,
  fileName,
  searchIdField: identifier,
  searchFilter: identifier,
  preventSearch: names,
  parameterSyntax: z.enum(['braces', 'dollar']),
  onUnpublishable: z.enum(['fail', 'skip']),
  numbers: z.enum(['plain', 'strict']),
}

type Fields = { [Key in keyof typeof publishFields]: z.infer<(typeof publishFields)[Key]> }

/** A publish request whose fields are each valid; absent fields are absent. */
export type PublishRequest = Partial<Fields> & Pick<Fields, 'dbUrl' | 'credentials' | 'mappedIndices'>

/** What could be read of a request: valid fields, and the names of those that were given but are not valid. */
export interface FieldsRead {
  fields: Partial<Fields>
  broken: ReadonlySet<string>
  issues: Issue[]
}

/**
 * Reads every field by itself, so that all broken rules can be told at once. null and absent are the same (contract 3).
 * `alsoKnown` are fields that the caller reads itself: an unknown one may be meant for them.
 */
export function readFields(body: unknown, at = '', alsoKnown: readonly string[] = []): FieldsRead {
  const issues: Issue[] = []
  const broken = new Set<string>()
  const fields: Record<string, unknown> = {}
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const message = 'must be a JSON object, a publish request'
    issues.push({ path: at, message: at === '' ? `the body ${message}` : message })
    return { fields, broken: new Set(Object.keys(publishFields)), issues }
  }
  for (const [key, value] of Object.entries(body)) {
    const path = at === '' ? key : `${at}.${key}`
    const schema = Object.hasOwn(publishFields, key) ? publishFields[key as keyof typeof publishFields] : null
    if (schema === null) {
      issues.push({ path, message: unknownField(key, [...Object.keys(publishFields), ...alsoKnown]) })
    } else if (value !== null) {
      const parsed = schema.safeParse(value)
      if (parsed.success) fields[key] = parsed.data
      else broken.add(key)
      // Not spread into one push: a call takes some hundred thousand arguments, a list may have more broken elements.
      for (const issue of parsed.error ? issuesOf(parsed.error, schema, path) : []) issues.push(issue)
    }
  }
  return { fields, broken, issues }
}

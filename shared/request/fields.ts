import { z } from 'zod'
import { isQuotable } from '../../packet/cypher/identifiers.ts'
import type { RelationshipType } from '../../packet/kinds/cleanup.ts'
import { fileName, orgName } from '../../packet/names.ts'
import { longestLifeDays } from '../config/life-days.ts'
import type { Issue } from '../errors/app-error.ts'
import { parseDbUrl } from '../origin/db-url.ts'
import { parseHttpsUrl } from '../origin/https-url.ts'
import { compressions } from '../storage/compression.ts'
import { listOf, mapOf, maxIssuesOfOne } from '../validation/bounded.ts'
import { issuesOf, moreUnknown, nearest, shown, unknownButNear } from '../validation/issues.ts'
import { publishSchema } from './field-rules.ts'
import { identifier } from './identifier.ts'
import { maskField, onlyField } from './mask/fields.ts'
import { type EveryType, parseEveryType, parseRelationshipType } from './relationship-types.ts'
import { selectField } from './select.ts'

/**
 * Characters of an id. Beyond this limit the answer is `400 invalidRequest`. No index of a database has longer values.
 */
const longestId = 65_535
/** An id. Lone surrogates are refused: no database stores such an id, and encoding would turn it into another one. */
export const id = z
  .string()
  .max(longestId, `must be at most ${longestId} characters`)
  .refine((text) => text.isWellFormed(), { message: 'must not hold a lone surrogate' })
const text = { type: 'string' }
const isId = (value: unknown) => typeof value === 'string' && value.length <= longestId && value.isWellFormed()
/** A list of ids. */
export const ids = listOf(id, { ...text, maxLength: longestId }, isId)
const isName = (value: unknown) => typeof value === 'string' && isQuotable(value)
/**
 * Elements in a list of labels, types or properties. Beyond this limit the answer is `400 invalidRequest`. No real node
 * or request has more.
 */
const mostNames = 10_000
const names = listOf(identifier, text, isName, mostNames)
const typeForms = 'must be TYPE, TYPE> (outgoing), <TYPE (incoming) or `TYPE`'
const typesBy = <T extends object>(parse: (text: string) => T | null, formsFor = (_: string) => typeForms) =>
  listOf(
    z.string().transform((text, context) => {
      const parsed = parse(text)
      if (parsed) return parsed
      context.addIssue({ code: 'custom', message: formsFor(text) })
      return z.NEVER
    }),
    text,
    undefined,
    mostNames,
  )
const layers = typesBy(
  (text) => (parseEveryType(text) ? null : parseRelationshipType(text)),
  (text) => (parseEveryType(text) ? 'must name a type; a type * stands in backticks' : typeForms),
)
const types = typesBy<RelationshipType | EveryType>((text) => parseEveryType(text) ?? parseRelationshipType(text))
const url = (parse: (text: string) => object) =>
  z.string().superRefine((text, context) => {
    const parsed = parse(text)
    if ('problem' in parsed) context.addIssue({ code: 'custom', message: String(parsed.problem) })
  })
/**
 * Characters of `credentials`. Beyond this limit the answer is `400 invalidRequest`. A job keeps its credentials,
 * encrypted, until it ends.
 */
const longestCredentials = 4_096
const credentials = z
  .string()
  .max(longestCredentials, `must be at most ${longestCredentials} characters`)
  .refine((text) => /^Basic [A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text.slice(6), 'base64').includes(':'), {
    message: 'must be "Basic " followed by the base64 of username:password',
  })
/**
 * Characters of `database`. Beyond this limit the answer is `400 invalidRequest`. The origin decides which names it
 * has.
 */
const longestDatabase = 255
const isDatabaseName = (name: string) =>
  name.length <= longestDatabase && /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+$/u.test(name) && !/^ | $/.test(name)
const database = z
  .string()
  .refine((name) => isDatabaseName(name), {
    message: `must be 1 to ${longestDatabase} characters, without control characters, or spaces at an end`,
    abort: true,
  })
  .refine((name) => name.toLowerCase() !== 'system', { message: 'must not be "system", which has no graph' })
/** Elements of `bookmarks`. Beyond this limit the answer is `400 invalidRequest`. */
const mostBookmarks = 100
/**
 * Characters of a bookmark. Beyond this limit the answer is `400 invalidRequest`. Neo4j's bookmarks have fewer than
 * 100.
 */
const longestBookmark = 1_000
const bookmark = z.string().refine((text) => text.length <= longestBookmark && /^[\x21-\x7e]+$/.test(text), {
  message: `must be 1 to ${longestBookmark} visible ASCII characters`,
})
/** Characters of `model`. Beyond this limit the answer is `400 invalidRequest`. */
const longestModel = 255
const modelName = z
  .string()
  .refine((text) => text.trim() !== '' && text.length <= longestModel && text.isWellFormed(), {
    message: `must be 1 to ${longestModel} characters`,
  })
const flag = z.boolean()
const maxNodes = z.number().refine(Number.isSafeInteger, 'must be a whole number').gt(0, 'must be more than 0')
/** Days that a packet lives; decimals are allowed. */
export const expiresAfterDays = z
  .number()
  .gt(0, 'must be more than 0')
  .max(longestLifeDays, `must be at most ${longestLifeDays}`)
  .meta({ description: 'remove the packet so many days after it was stored; not with returnOnly', example: 30 })
/** How the parts of a packet are stored. */
export const compression = z
  .enum(compressions)
  .describe('gzip: store the parts compressed, with the header Content-Encoding for downloads; not with returnOnly')

/** The part of the nodes, or of the relationships, of a base that may be deleted without being asked for. */
const deletedByDefault = 0.1
const deleteMissing = z
  .union([flag, z.strictObject({ atMost: z.number().gt(0, 'must be more than 0').max(1, 'must be at most 1') })])
  .transform((given) => (given === false ? undefined : given === true ? deletedByDefault : given.atMost))

/** Every field of a publish request by itself; the rules between fields are in `rules.ts`. Seed, Publish request. */
export const publishFields = {
  dbUrl: url(parseDbUrl).describe(
    'bolt:// or bolt+s:// address of the origin database; neo4j:// and neo4j+s:// mean the same',
  ),
  credentials: credentials.describe('"Basic " followed by the base64 of username:password'),
  database: database.describe('name of the database there; the home database of the user if absent'),
  bookmarks: listOf(bookmark, text, undefined, mostBookmarks).describe(
    'bookmarks that the origin must have reached before it is read',
  ),
  mappedIndices: mapOf(identifier, identifier, text, isName).describe(
    'id property of each label; DEFAULT_INDEX and DEFAULT_ID_FIELD are required without select, and its own label must agree with the latter',
  ),
  index: identifier.describe('label of the origin ids, one of mappedIndices; DEFAULT_INDEX if absent'),
  originIds: ids.describe('ids of the nodes to start from; with relationshipIds at most 500 that differ'),
  relationshipIds: ids.describe('relationships to publish, by their relationshipIdField'),
  hardFilterRelationships: flag.describe(
    'refuse unless both ends of every relationship in relationshipIds are among originIds',
  ),
  select: selectField.describe('nodes to start from, by label and property, in place of originIds'),
  maxNodes: maxNodes.describe('refuse a selection of more nodes; with select only'),
  toLayer: layers.describe('relationship types to follow in order; the nodes they lead to are the targeted ones'),
  relationships: types.describe(
    'types of the relationships to publish; TYPE>, <TYPE for one direction, * for every type of the origin',
  ),
  preventCleanup: flag.describe('leave out the statements that remove stale relationships'),
  relationshipIdField: identifier.describe('property that identifies relationships'),
  metadata: flag.describe('publish the properties and labels of targeted nodes'),
  deleteProperties: names.describe('properties to remove from published nodes; none that identifies or is protected'),
  timestampRelationships: flag.describe('stamp relationships with timestampProperty'),
  timestampProperty: identifier.describe('property for stamps, epoch milliseconds; no id property'),
  relationshipDeleteOnly: flag.describe('only statements that delete relationships the origin no longer has'),
  deleteRelationshipById: flag.describe('find stale relationships by relationshipIdField rather than by their ends'),
  targetFilter: identifier.describe('keep only targeted nodes with this label'),
  protectedNodeProperties: names.describe(
    'node properties that are neither published nor overwritten; none that identifies, nor the one of stamps',
  ),
  protectedRelationshipProperties: names.describe(
    'relationship properties that are neither published nor overwritten; not relationshipIdField, nor the one of stamps',
  ),
  dynamicLabels: mapOf(identifier, names, { type: 'array', items: text }).describe(
    'for nodes with the key: labels that are added and removed as at the origin',
  ),
  postbackTimestamp: flag.describe('nest a packet that stamps what was published'),
  returnOnly: flag.describe('answer the packet without storing it'),
  orgName: orgName.describe('directory of the packet; required unless returnOnly'),
  fileName: fileName.describe('name of the packet; required unless returnOnly'),
  searchIdField: identifier.describe('property whose values go to updatedIds'),
  searchFilter: identifier.describe('only nodes with this label go to updatedIds'),
  preventSearch: names.describe('nodes with any of these labels do not go to updatedIds'),
  parameterSyntax: z.enum(['braces', 'dollar']).describe('{name} or $name in statements'),
  onUnpublishable: z.enum(['fail', 'skip']).describe('fail on what cannot be published, or skip and count it'),
  model: modelName.describe(
    'grn of a manager version, or name of a manager, whose latest version counts: it supplies mappedIndices and checks nodes',
  ),
  onModelViolation: z
    .enum(['fail', 'report', 'omit'])
    .describe('fail on what breaks the model, publish and report it, or leave it out; with model only'),
  mask: maskField.describe(
    'for nodes with the label, or relationships of the type: properties that are left out (drop), replaced by a hash under a key of the org (hash), or set to null',
  ),
  only: onlyField.describe(
    'for nodes with the label, or relationships of the type: the only properties that are published; ids need not be named',
  ),
  callbackUrl: url(parseHttpsUrl).meta({
    description: 'https:// address that receives a POST when the job has ended; not with returnOnly',
    example: 'https://hooks.example.org/packets',
  }),
  expiresAfterDays,
  compression,
  asBase: flag.describe('index the packet, so that it may be the base of others; not with returnOnly'),
  base: fileName.describe(
    'name of an earlier packet of the org: leave out the pairs that it leads to already; not with returnOnly',
  ),
  deleteMissing: deleteMissing.describe(
    'with base: delete nodes and relationships that the base has and this publish no longer, at most 10 % of them',
  ),
  numbers: z.enum(['plain', 'strict']).describe('strict wraps numbers for replay clients that do not tell 1 from 1.0'),
}

/** The request as documented, which clients send. `publishSchema` says which further fields are required, and when. */
export const publishRequest = z
  .strictObject(publishFields)
  .partial()
  .required({ dbUrl: true, credentials: true })
  .meta({ id: 'PublishRequest', override: publishSchema })

type Fields = { [Key in keyof typeof publishFields]: z.infer<(typeof publishFields)[Key]> }

/** A publish request whose fields are each valid; null fields are left out. */
/** A request as a client sends it. */
export type PublishFields = z.input<typeof publishRequest>
export type PublishRequest = Partial<Fields> & Pick<Fields, 'dbUrl' | 'credentials'>

/** What could be read of a request: the valid fields, and the names of fields that were given but are invalid. */
export interface FieldsRead {
  fields: Partial<Fields>
  broken: ReadonlySet<string>
  issues: Issue[]
}

/**
 * Reads every field by itself, so that all broken rules are reported at once. null and absent are the same
 * (contract 3).
 * `alsoKnown`: fields that the caller reads itself, so that they are suggested for unknown fields, too.
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
  let unknown = 0
  for (const [key, value] of Object.entries(body)) {
    const path = at === '' ? shown(key) : `${at}.${shown(key)}`
    const schema = Object.hasOwn(publishFields, key) ? publishFields[key as keyof typeof publishFields] : null
    if (schema === null) {
      if (++unknown > maxIssuesOfOne) continue
      const meant = nearest(key, [...Object.keys(publishFields), ...alsoKnown])
      issues.push({ path, message: unknownButNear(meant) })
      // A misspelt field has a value, so no rule complains that it is absent.
      if (meant !== null && !Object.hasOwn(body, meant)) broken.add(meant)
    } else if (value !== null) {
      const parsed = schema.safeParse(value)
      if (parsed.success) fields[key] = parsed.data
      else broken.add(key)
      if (parsed.error) issues.push(...issuesOf(parsed.error, schema, path))
    }
  }
  issues.push(...moreUnknown(unknown, at))
  return { fields, broken, issues }
}

import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import type { Issue } from '../errors/app-error.ts'
import { maxIssuesOfOne } from './bounded.ts'

/** Converts schema errors: each issue names its field (below `root`) and the violated rule. Contract 3. */
export function issuesOf(error: z.ZodError, schema: z.ZodType, root = ''): Issue[] {
  const known = knownFields(schema)
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ path: pathOf(root, issue.path), message: wording(issue) }]
    const reported = issue.keys.slice(0, maxIssuesOfOne)
    const issues = reported.map((key) => ({
      path: pathOf(root, [...issue.path, key]),
      message: unknownField(key, known),
    }))
    return [...issues, ...moreUnknown(issue.keys.length, pathOf(root, issue.path))]
  })
}

/** Counts an object's unknown fields beyond those reported individually. */
export const moreUnknown = (count: number, path: string): Issue[] =>
  count > maxIssuesOfOne ? [{ path, message: `has ${count - maxIssuesOfOne} more unknown fields` }] : []

/** The fields of an object schema, also below transforms. */
function knownFields(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodPipe) return knownFields(schema.in as z.ZodType)
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

// Twice the longest field name: no longer text is close to a field.
const longestGuessed = 64

/** "unknown field, did you mean `preventCleanup`?" A silently ignored option would delete relationships. */
export const unknownField = (key: string, known: Iterable<string>): string => unknownButNear(nearest(key, known))

/** The same, given the `nearest` known name. */
export const unknownButNear = (near: string | null): string => `unknown field${question(near)}`

/** ", did you mean `preventCleanup`?", or nothing if no known name is close. */
export const didYouMean = (name: string, known: Iterable<string>): string => question(nearest(name, known))

const question = (near: string | null) => (near === null ? '' : `, did you mean \`${shown(near)}\`?`)

/** The known name that a misspelt one probably means; null if none is close. */
export function nearest(name: string, known: Iterable<string>): string | null {
  if (name.length > longestGuessed) return null
  let near: { candidate: string; edits: number } | null = null
  for (const candidate of known) {
    const edits = distance(name.toLowerCase(), candidate.toLowerCase())
    if (near === null || edits < near.edits) near = { candidate, edits }
  }
  const isNear = near !== null && near.edits <= Math.max(2, Math.floor(near.candidate.length / 3))
  return isNear ? (near?.candidate ?? null) : null
}

/** `originIds[3]`, `mappedIndices.Person`. */
function pathOf(root: string, path: readonly PropertyKey[]): string {
  const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${shown(String(key))}`)).join('')
  return root === '' ? steps.replace(/^\./, '') : root + steps
}

/** Truncates a client-supplied name for a message: it may be as long as the body. */
export const shown = (name: string): string => (name.length <= longestShown ? name : `${name.slice(0, longestShown)}…`)
const longestShown = 200

function wording(issue: z.core.$ZodIssue): string {
  if (isAbsent(issue)) return 'required'
  if (issue.code === 'invalid_type') return `must be ${withArticle(issue.expected)}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  return issue.message
}

/** A field without a value: null and absent are the same (contract 3). Detectable only if the schema reports inputs. */
function isAbsent({ code, path, ...issue }: z.core.$ZodIssue): boolean {
  const isField = typeof path.at(-1) === 'string'
  return code === 'invalid_type' && isField && 'input' in issue && (issue.input ?? null) === null
}

function withArticle(type: string): string {
  if (type === 'record') return 'an object'
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

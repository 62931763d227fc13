import { z } from 'zod'

const orgSegment = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/
const segment = orgSegment.source.slice(1, -1)
const reservedOrgs = ['status', 'multi']

/** An org, or a sub-directory of one: 1 to 8 segments joined by `/`. Contract 8. */
export const orgName = nameWithout(orgNameProblem).meta({
  pattern: `^(?!(${reservedOrgs.join('|')})(/|$))${segment}(/${segment}){0,7}$`,
})

/** Characters of `orgName`. Beyond this limit the answer is `400 invalidRequest`. 8 segments have 63 each. */
const longestOrg = 511

function nameWithout(problemOf: (name: string) => string | null) {
  return z.string().superRefine((name, context) => {
    const message = problemOf(name)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })
}

function orgNameProblem(name: string): string | null {
  if (name.startsWith('/') || name.endsWith('/')) return 'must not start or end with a slash'
  const segments = name.slice(0, longestOrg + 1).split('/')
  if (name.length > longestOrg || segments.length > 8 || !segments.every((segment) => orgSegment.test(segment))) {
    return 'must be 1 to 8 segments joined by /, each a letter or digit followed by up to 62 of A-Z a-z 0-9 . _ -'
  }
  return reservedOrgs.includes(segments[0] as string) ? `must not start with the reserved name ${segments[0]}` : null
}

/** A name a client gives to a packet. Contract 8; seed, `fileName`. */
export const fileName = nameWithout(
  (name) => fileNameProblem(name) ?? (parsePartName(name) ? 'must not be the name of a part (Part#of#)' : null),
)

/**
 * Bytes of a file name. Beyond this limit the answer is `400 invalidRequest`. Every store has this limit, and answers a
 * request for a longer key with another error than a request for a missing key.
 */
export const longestKeyBytes = 1_024

/** What a client searches names for: the start of a name, or any piece of it. */
export const namePiece = z.string().max(longestKeyBytes, `must be at most ${longestKeyBytes} characters`)

/** A name that a client asks for: the name of a packet or of one of its parts. */
export const storedName = nameWithout(fileNameProblem)

/** A name that a client asks for and that can only be the name of a packet. */
export const packetFileName = storedName.superRefine((name, context) => {
  const part = parsePartName(name)
  if (part) context.addIssue({ code: 'custom', message: `is the name of a part; that of its packet is "${part.base}"` })
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const forbidden = /[\u0000-\u001f\u007f-\u009f\\%]/

function fileNameProblem(name: string): string | null {
  // Check this first: some of the other checks are slow on long names.
  if (Buffer.byteLength(name) > longestKeyBytes) return `must be at most ${longestKeyBytes} bytes`
  if (name.startsWith('/') || name.endsWith('/')) return 'must not start or end with a slash'
  if (!name.isWellFormed() || name.normalize('NFC') !== name) return 'must be valid Unicode in normalization form C'
  if (forbidden.test(name)) return 'must not contain control characters, backslashes or %'
  for (const segment of name.split('/')) {
    if (segment.startsWith('.')) return 'must not have a segment that starts with a dot'
    const bytes = Buffer.byteLength(segment)
    if (bytes < 1 || bytes > 200) return 'must have segments of 1 to 200 bytes'
  }
  return null
}

/** A packet's full key and every name below it must fit a store's key limit (contract 8). Null if they do. */
export const packetNameProblem = (org: string, file: string): string | null =>
  Buffer.byteLength(`${org}/${file}`) > 900 ? 'must be at most 900 bytes together with orgName' : null

/** Parses the name of a part; null for any other name. Contract 6. */
export function parsePartName(name: string): { base: string; part: number; of: number } | null {
  const [, base, part, of] = /^(.+)Part([1-9][0-9]*)of([1-9][0-9]*)$/s.exec(name) ?? []
  return base === undefined ? null : { base, part: Number(part), of: Number(of) }
}

/** Names of the packets that objects of these names may be parts of. */
export const packetNamesOf = (...names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => [name, parsePartName(name)?.base ?? name])),
]

/** File names of a packet's parts, in order: `name` for a single part, else with `Part#of#`. Seed, rule 3. */
export function partNames(name: string, parts: number): string[] {
  if (parts === 1) return [name]
  return Array.from({ length: parts }, (_, index) => `${name}Part${index + 1}of${parts}`)
}

/**
 * Whether a name can start with this text. Some stores resolve `../shared` and `//` in a prefix and would list other
 * directories; others fail on a NUL, which no key can contain.
 */
export function canStartName(start: string): boolean {
  const segments = start.split('/')
  const isWhole = segments.slice(0, -1).every((segment) => segment !== '')
  const isKey = start.isWellFormed() && !start.includes('\0') && Buffer.byteLength(start) <= longestKeyBytes
  return isKey && isWhole && segments.every((segment) => !segment.startsWith('.'))
}

/** The packet name before a part suffix, complete or not: `f` for `fPart1o` and `fP`. null without such a suffix. */
export function baseReachedInto(text: string): string | null {
  const [, base] = /^(.*[^/])P(?:a(?:r(?:t(?:[1-9]\d*(?:o(?:f(?:[1-9]\d*)?)?)?)?)?)?)?$/s.exec(text) ?? []
  return base ?? null
}

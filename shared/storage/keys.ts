/**
 * The only place that builds and parses object keys. Contract 6 and 8; docs/storage.md#objects says who writes, reads
 * and removes each object.
 *
 * A packet's name is its full key, `<orgName>/<fileName>`: org `a` with file `b/f` is org `a/b` with file `f`. In keys
 * of hidden objects a dot-name follows the first directory, so that a prefix of a name gives a prefix of keys:
 *
 *   a/.generations/b/f/.-9999999998     the manifest of generation 1; the highest is the packet
 *   a/.generations/b/f/.-9999999998=3   its empty marker: while this generation is the latest, readers see 3 parts;
 *                                       `=3-1767225600000`: until then (epoch milliseconds)
 *   a/.parts/b/f/.<job>/<run>/…         immutable parts of one run, and the state that they lead to
 *   a/.jobs/<job>/request               a job's request, with encrypted credentials
 *   a/.jobs/<job>/model                 the model, if the request is bound to one
 *   a/.jobs/<job>/plan                  how a large job is split into slices
 *   a/.jobs/<job>/selection             what a job selects, as one run has listed it, and how it is split into slices
 *   a/.jobs/<job>/selected/<run>/…      chunks of the internal ids that a run has listed
 *   a/.jobs/<job>/slices/<slice>        the result of a slice
 *   a/.jobs/<job>/cancelled             marks a cancelled job
 *   a/b/.org                            marks the org a/b as created
 *   a/b/f                               the plain-file view
 *
 * Stores list keys in ascending order only, so numbers in generation keys count down: a listing begins with the latest.
 *
 * No segment of a name starts with a dot, so a hidden key is never a name, and never belongs to two names.
 */
export const packetName = (orgName: string, fileName: string): string => `${orgName}/${fileName}`

function split(name: string): [top: string, rest: string] {
  const slash = name.indexOf('/')
  return slash === -1 ? [name, ''] : [name.slice(0, slash), name.slice(slash + 1)]
}

const hidden = (directory: string, name: string) => {
  const [top, rest] = split(name)
  return `${top}/${directory}/${rest}`
}

/** Prefix of all generations of names that start with `name`, which may be `<orgName>/` alone. */
export const generationsBelow = (name: string): string => hidden('.generations', name)

/** Prefix of the generations of exactly one packet. It does not end in a segment `.`, which MinIO refuses to list. */
export const generationsOf = (name: string): string => `${hidden('.generations', name)}/.-`

const highestGeneration = 9_999_999_999
const tenDigits = (number: number) => String(number).padStart(10, '0')

export const generationKey = (name: string, generation: number): string =>
  `${generationsOf(name)}${tenDigits(highestGeneration - generation)}`

/** Parses the key of a manifest; null for any other key. */
export function parseGenerationKey(key: string): { name: string; generation: number } | null {
  const [, top, rest, digits] = /^([^/]+)\/\.generations\/(.+)\/\.-(\d{10})$/s.exec(key) ?? []
  return digits === undefined ? null : { name: `${top}/${rest}`, generation: highestGeneration - Number(digits) }
}

/** Key of a generation's marker: sorts right after the key of its manifest, before the generation below. */
export const markerKey = (manifestKey: string, parts: number, expiresAt?: string): string =>
  `${manifestKey}=${parts}${expiresAt === undefined ? '' : `-${Date.parse(expiresAt)}`}`

export interface Marker {
  manifestKey: string
  parts: number
  /** ISO 8601; absent: never. */
  expiresAt?: string
}

/** Parses the key of a marker; null for any other key. */
export function parseMarkerKey(key: string): Marker | null {
  const [, manifestKey, parts, expiresAt] = /^(.+)=(\d{1,10})(?:-(\d{1,15}))?$/s.exec(key) ?? []
  if (manifestKey === undefined || parseGenerationKey(manifestKey) === null) return null
  const expiry = expiresAt === undefined ? {} : { expiresAt: new Date(Number(expiresAt)).toISOString() }
  return { manifestKey, parts: Number(parts), ...expiry }
}

/**
 * `skipTo` for `ObjectStore.list`: from the key of a generation or its marker past all generations of the name. null
 * for other keys.
 */
export function pastGenerations(key: string): string | null {
  const parsed = parseGenerationKey(parseMarkerKey(key)?.manifestKey ?? key)
  return parsed === null ? null : `${generationsOf(parsed.name)}:`
}

/** Prefix of the parts of all runs of a job. */
export const partsOf = (name: string, jobId: string): string => `${hidden('.parts', name)}/.${jobId}/`

/** Key of a part of one run of a job. `slice` counts from 0, `part` from 1. */
export function partKey(name: string, jobId: string, run: string, slice: number, part: number): string {
  const number = (value: number) => String(value).padStart(5, '0')
  return `${partsOf(name, jobId)}${run}/${number(slice)}-${number(part)}`
}

/** Key of a piece of a state, or of a slice's share of one, that belongs to one run of a job. `piece` counts from 1. */
export const stateKey = (name: string, jobId: string, run: string, slice: number, piece: number): string =>
  partKey(name, jobId, run, slice, piece).replace(/-(\d+)$/, '-state-$1')

/** Parses the key of a part, or of a piece of a state; null for any other key. */
export function parsePartKey(key: string): { name: string; jobId: string; run: string } | null {
  const [, top, rest, jobId, run] = /^([^/]+)\/\.parts\/(.+)\/\.([^/]+)\/([\w-]+)\/[^/]+$/s.exec(key) ?? []
  return jobId === undefined || run === undefined ? null : { name: `${top}/${rest}`, jobId, run }
}

/** Prefixes that the janitor sweeps: the hidden objects of a top-level directory. */
export const hiddenBelow = (top: string) => ({
  generations: `${top}.generations/`,
  parts: `${top}.parts/`,
  jobs: `${top}.jobs/`,
})

/** Prefix of the objects of an unfinished job. The mark of a cancelled job stays for some time after its end. */
export const jobPrefix = (orgName: string, jobId: string): string => `${split(orgName)[0]}/.jobs/${jobId}/`
export const requestKey = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}request`
export const modelKey = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}model`
export const planKey = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}plan`
export const selectionKey = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}selection`
export const selectedKey = (orgName: string, jobId: string, run: string, chunk: number): string =>
  `${jobPrefix(orgName, jobId)}selected/${run}/${String(chunk).padStart(5, '0')}`
export const cancelledKey = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}cancelled`
/** Prefix of the results of a job's slices. */
export const sliceResultsOf = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}slices/`
export const sliceResultKey = (orgName: string, jobId: string, slice: number): string =>
  `${sliceResultsOf(orgName, jobId)}${String(slice).padStart(5, '0')}`
export const orgKey = (orgName: string): string => `${orgName}/.org`
/** Id of the job that owns a key below `.jobs/`. */
export const ownerOf = (key: string): string => /\/\.jobs\/([^/]+)\//.exec(key)?.[1] ?? ''

/** Whether any segment starts with a dot. Such objects are never shown. */
export const isHidden = (key: string): boolean => /(^|\/)\./.test(key)

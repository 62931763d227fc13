/**
 * Every object key, built and parsed here and nowhere else. Contract 6 and 8.
 *
 * A packet's name is its full key, `<orgName>/<fileName>`: org `a` with file `b/f` is org `a/b` with file `f`. Hidden
 * objects keep the name behind a dot-name in the first directory, so that a prefix of a name is a prefix of keys:
 *
 *   a/.generations/b/f/.-9999999998     the manifest of generation 1; the highest is the packet
 *   a/.generations/b/f/.-9999999998=3   its marker, empty: whoever sees this generation as the latest sees 3 parts
 *   a/.parts/b/f/.<job>/<run>/…         parts, immutable, of one run
 *   a/.jobs/<job>/request               a job's request, without credentials
 *   a/.jobs/<job>/plan                  how a large one is cut into slices
 *   a/.jobs/<job>/slices/<slice>        what a slice came to
 *   a/.jobs/<job>/cancelled             a job was cancelled
 *   a/b/.org                            the org a/b was created
 *   a/b/f                               the plain-file view
 *
 * Stores list keys in ascending order only, so generations count down in theirs: a listing begins with the latest,
 * however many there were. An earlier version of this service counted up (`.0000000001`); its keys, which are the lower
 * generations of their names, come after.
 *
 * No segment of a name starts with a dot, so nothing hidden can be taken for a name, or one name for another's.
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

/** Prefix of the generations of exactly one packet. */
export const generationsOf = (name: string): string => `${hidden('.generations', name)}/.`

const highestGeneration = 9_999_999_999
const tenDigits = (number: number) => String(number).padStart(10, '0')

export const generationKey = (name: string, generation: number): string =>
  `${generationsOf(name)}-${tenDigits(highestGeneration - generation)}`

/** As an earlier version of this service named it. */
export const earlierGenerationKey = (name: string, generation: number): string =>
  `${generationsOf(name)}${tenDigits(generation)}`

/** The packet's name and the generation of a manifest's key; null for any other key. */
export function parseGenerationKey(key: string): { name: string; generation: number; isEarlier: boolean } | null {
  const [, top, rest, sign, digits] = /^([^/]+)\/\.generations\/(.+)\/\.(-?)(\d{10})$/s.exec(key) ?? []
  if (digits === undefined) return null
  const isEarlier = sign === ''
  const generation = isEarlier ? Number(digits) : highestGeneration - Number(digits)
  return { name: `${top}/${rest}`, generation, isEarlier }
}

/** The marker of a generation, by the key of its manifest: right behind it, before the generation below. */
export const markerKey = (manifestKey: string, parts: number): string => `${manifestKey}=${parts}`

/** What a marker's key says; null for any other key. */
export function parseMarkerKey(key: string): { manifestKey: string; parts: number } | null {
  const [, manifestKey, parts] = /^(.+)=(\d{1,10})$/s.exec(key) ?? []
  if (manifestKey === undefined || parseGenerationKey(manifestKey) === null) return null
  return { manifestKey, parts: Number(parts) }
}

/**
 * For `ObjectStore.list`: from a generation of a name, of which no higher one follows, or its marker, to what comes after
 * all of them.
 */
export function pastGenerations(key: string): string | null {
  const parsed = parseGenerationKey(parseMarkerKey(key)?.manifestKey ?? key)
  return parsed === null || parsed.isEarlier ? null : `${generationsOf(parsed.name)}:`
}

/** A part of one run of a job. `slice` and `part` count from 0 and 1. */
export function partKey(name: string, jobId: string, run: string, slice: number, part: number): string {
  const number = (value: number) => String(value).padStart(5, '0')
  return `${hidden('.parts', name)}/.${jobId}/${run}/${number(slice)}-${number(part)}`
}

/** Whose a part is; null for any other key. `run` is a number where an earlier version of this service wrote it. */
export function parsePartKey(key: string): { name: string; jobId: string; run: string } | null {
  const [, top, rest, jobId, run] = /^([^/]+)\/\.parts\/(.+)\/\.([^/]+)\/([\w-]+)\/[^/]+$/s.exec(key) ?? []
  return jobId === undefined || run === undefined ? null : { name: `${top}/${rest}`, jobId, run }
}

/** What the janitor looks through: each directory's own hidden objects, and those of no directory. */
export const hiddenBelow = (top: string) => ({
  generations: `${top}.generations/`,
  parts: `${top}.parts/`,
  jobs: `${top}.jobs/`,
})
export const probes = '.probe/'

/** Prefix of what a job keeps while it is unfinished, and a while longer that it was cancelled. */
export const jobPrefix = (orgName: string, jobId: string): string => `${split(orgName)[0]}/.jobs/${jobId}/`
export const requestKey = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}request`
export const planKey = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}plan`
export const cancelledKey = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}cancelled`
/** Prefix of the results of a job's slices. */
export const sliceResults = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}slices/`
export const sliceResultKey = (orgName: string, jobId: string, slice: number): string =>
  `${sliceResults(orgName, jobId)}${String(slice).padStart(5, '0')}`
export const orgKey = (orgName: string): string => `${orgName}/.org`
export const probeKey = (id: string): string => `${probes}${id}`
/** Whose a key below `.jobs/` is. */
export const ownerOf = (key: string): string => /\/\.jobs\/([^/]+)\//.exec(key)?.[1] ?? ''

/** Does any segment start with a dot? Such objects never show. */
export const isHidden = (key: string): boolean => /(^|\/)\./.test(key)

/**
 * Every object key, built and parsed here and nowhere else. Contract 6 and 8.
 *
 * A packet's name is its full key, `<orgName>/<fileName>`: org `a` with file `b/f` is org `a/b` with file `f`. Hidden
 * objects keep the name behind a dot-name in the first directory, so that a prefix of a name is a prefix of keys:
 *
 *   a/.generations/b/f/.0000000001      a manifest; the highest is the packet
 *   a/.parts/b/f/.<job>/<run>/…         parts, immutable, of one run
 *   a/.jobs/<job>/request               a job's request, without credentials
 *   a/.jobs/<job>/plan                  how a large one is cut into slices
 *   a/.jobs/<job>/slices/<slice>        what a slice came to
 *   a/b/.org                            the org a/b was created
 *   a/b/f                               the plain-file view
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

export const generationKey = (name: string, generation: number): string =>
  `${generationsOf(name)}${String(generation).padStart(10, '0')}`

/** The packet's name and the generation of a manifest's key; null for any other key. */
export function parseGenerationKey(key: string): { name: string; generation: number } | null {
  const [, top, rest, generation] = /^([^/]+)\/\.generations\/(.+)\/\.(\d{10})$/s.exec(key) ?? []
  return generation === undefined ? null : { name: `${top}/${rest}`, generation: Number(generation) }
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

/** Prefix of what a job keeps while it is unfinished. */
export const jobPrefix = (orgName: string, jobId: string): string => `${split(orgName)[0]}/.jobs/${jobId}/`
export const requestKey = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}request`
export const planKey = (orgName: string, jobId: string): string => `${jobPrefix(orgName, jobId)}plan`
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

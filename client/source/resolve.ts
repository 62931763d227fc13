import { orgName } from '../../packet/names.ts'
import type { Context } from '../context.ts'
import { Failure, usageError } from '../exit.ts'
import { type CommonOptions, openService, serviceUrl } from '../options.ts'
import type { Client } from '../service/client.ts'
import { ServiceError } from '../service/service-error.ts'
import { download, withoutQuery } from './download.ts'
import { inputSource, localSource } from './local.ts'
import { parseManifest } from './manifest.ts'
import { bareSource, once, partOf, type Source, sourceOf } from './source.ts'

const linkSeconds = 86_400

/** The words that describe SOURCE in the help of each command that takes one. */
export const sourceHelp = 'a file or directory, an http(s) link, - for standard input, or ORG/NAME at the service'

/** Finds the packet that a word of the command line names. */
export async function resolveSource(context: Context, word: string, options: CommonOptions): Promise<Source> {
  const [source] = await resolveSources(context, [word], options)
  return source as Source
}

/** The same for several words. @throws Failure (usage) if options for the service are given, but no packet is there */
export async function resolveSources(
  context: Context,
  words: readonly string[],
  options: CommonOptions,
): Promise<Source[]> {
  const found: (Source | null)[] = []
  for (const word of words) found.push(await sourceElsewhere(context, word))
  if ((options.url !== undefined || options.tokenFile !== undefined) && !found.includes(null)) {
    const names = found.map((source) => source?.name).join(' and ')
    const are = found.length === 1 ? 'is' : 'are'
    throw usageError(`--url and --token-file are for packets at the service, and ${names} ${are} not there`)
  }
  const sources: Source[] = []
  for (const [index, source] of found.entries()) {
    sources.push(source ?? (await serviceSource(context, words[index] as string, options)))
  }
  return sources
}

/** The packet that a word names elsewhere; null if it can only name a packet at the service. */
export async function sourceElsewhere(context: Context, word: string): Promise<Source | null> {
  if (word === '-') return inputSource(context.stdin)
  return (await localSource(word)) ?? (/^https?:\/\//i.test(word) ? linkSource(word) : null)
}

function linkSource(link: string): Source {
  const parsed = URL.parse(link)
  if (parsed === null || parsed.username || parsed.password)
    throw usageError('a link must be valid, without user and password')
  const name = withoutQuery(link)
  const part = partOf(
    name.slice(name.lastIndexOf('/') + 1),
    once((signal) => download(link, signal)),
  )
  return bareSource(name, name, [part])
}

/** The packet that the service has under a name. @throws Failure (service) if it has none */
export async function serviceSource(
  context: Context,
  word: string,
  options: CommonOptions,
  opened?: Client,
): Promise<Source> {
  const found = await findService(context, word, options, opened)
  if (found !== null) return found
  throw new Failure('service', `"${word}" is no file here and no packet at ${serviceUrl(context, options)}`)
}

/** The same; null if the service has none. */
export async function findService(
  context: Context,
  word: string,
  options: CommonOptions,
  opened?: Client,
): Promise<Source | null> {
  if ((options.url ?? context.environment.PACKETS_URL) === undefined) {
    throw usageError(`"${word}" is no file here, and no service is named: set PACKETS_URL or pass --url`)
  }
  const url = serviceUrl(context, options)
  const name = splitName(word)
  if (name === null) return null
  const client = opened ?? (await openService(context, options))
  const answer = await client.manifest(name.orgName, name.fileName, linkSeconds, context.signal).catch((error) => {
    if (error instanceof ServiceError && error.status === 404) return null
    throw error
  })
  if (answer === null) return null
  const parsed = parseManifest(answer)
  const hasLinks = typeof parsed === 'string' || parsed.parts.every(({ url: link }) => link !== undefined)
  const manifest = hasLinks ? parsed : 'parts: url: is missing'
  if (typeof manifest === 'string') throw new ServiceError(`the manifest of ${word} is not valid: ${manifest}`, 0)
  const place = `${url}/${word}`
  return sourceOf({ name: word, place }, manifest, (part, signal) => download(part.url as string, signal))
}

/** Splits a word after the longest org that it may begin with: a token of a sub-directory sees nothing above it. */
function splitName(word: string): { orgName: string; fileName: string } | null {
  const slashes = [...word.matchAll(/\//g)].map(({ index }) => index).reverse()
  const at = slashes.find((index) => orgName.safeParse(word.slice(0, index)).success && index < word.length - 1)
  return at === undefined ? null : { orgName: word.slice(0, at), fileName: word.slice(at + 1) }
}

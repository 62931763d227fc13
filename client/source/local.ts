import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { SourceBroken } from '../../packet/broken.ts'
import { parsePartName } from '../../packet/names.ts'
import type { Input } from '../context.ts'
import { Failure, usageError } from '../exit.ts'
import type { PartSource } from '../replay/source/load-part.ts'
import { manifestFile } from '../replay/source/packet-directory.ts'
import { jsonOrNull } from '../service/requests.ts'
import { type Manifest, parseManifest } from './manifest.ts'
import { bareSource, once, partOf, type Source, sourceOf } from './source.ts'

/** The file of a part in the directory of its packet. */
export const fileOfPart = (fileName: string): string => basename(fileName)

/** A file with one part, or a directory with all parts; null if nothing has this name. */
export async function localSource(path: string): Promise<Source | null> {
  const found = await stat(path).catch(() => null)
  if (found === null) return null
  const place = resolve(path)
  if (!found.isDirectory() && !found.isFile()) {
    throw usageError(`${path} is neither a file nor a directory; send a stream to standard input, and name it -`)
  }
  if (!found.isDirectory()) return bareSource(path, place, [partOf(basename(path), () => contentOf(path))])
  const manifest = await readManifest(path)
  return manifest
    ? sourceOf({ name: path, place }, manifest, (part) => contentOf(join(path, fileOfPart(part.fileName))))
    : bareSource(path, place, partsIn(path, await readdir(path)))
}

/** The part that the input holds. */
export const inputSource = (stdin: Input): Source =>
  bareSource('standard input', '-', [
    partOf(
      '-',
      once((signal) => buffer(addAbortSignal(signal, stdin))),
    ),
  ])

/** The manifest in a directory that `get` wrote; null if absent. @throws Failure (broken) if it is not a manifest */
export async function readManifest(directory: string): Promise<Manifest | null> {
  const text = await readFile(join(directory, manifestFile), 'utf8').catch(() => null)
  if (text === null) return null
  const manifest = parseManifest(jsonOrNull(text))
  if (typeof manifest !== 'string') return manifest
  throw new Failure('broken', `${join(directory, manifestFile)} is no manifest: ${manifest}`)
}

/** Reads the file, or else the same name with `.gz`. @throws SourceBroken */
async function contentOf(path: string): Promise<Buffer> {
  for (const file of [path, `${path}.gz`]) {
    const found = await stat(file).catch(() => null)
    // Opening a pipe that nobody writes to never ends.
    if (found && !found.isFile()) throw new SourceBroken(`${file} is no regular file`)
    const bytes = await readFile(file).catch((error) => {
      if (error.code === 'ENOENT') return null
      throw new SourceBroken(`${file} cannot be read (${error.code})`)
    })
    if (bytes !== null) return bytes
  }
  throw new SourceBroken('it is missing')
}

const withoutGz = (name: string) => name.replace(/\.gz$/, '')

/**
 * The part files of a directory without a manifest, in their order.
 * @throws Failure (usage) if there are none, (broken) if one is missing
 */
function partsIn(directory: string, names: readonly string[]): PartSource[] {
  const files = [...new Set(names.map(withoutGz))]
    .filter((name) => parsePartName(name) || name.endsWith('.json'))
    .sort()
  if (files.length === 0) throw usageError(`${directory} has neither a manifest.json nor part files (.json, .json.gz)`)
  const whole = new Set<string>()
  for (const name of files) {
    const part = whole.has(name) ? null : parsePartName(name)
    for (const each of part ? everyPart(part, new Set(files)) : [name]) whole.add(each)
  }
  return [...whole].map((name) => partOf(name, () => contentOf(join(directory, name))))
}

/** If one part of a packet is there, all must be. @throws Failure (broken) */
function everyPart({ base, of }: { base: string; of: number }, files: ReadonlySet<string>): string[] {
  const names: string[] = []
  for (let part = 1; part <= of; part++) {
    const name = `${base}Part${part}of${of}`
    if (!files.has(name)) throw new Failure('broken', `part ${part} of ${of} (${name}): it is missing`)
    names.push(name)
  }
  return names
}

import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { SourceBroken } from '../../shared/packet/broken.ts'
import { parsePartName, partNames } from '../../shared/packet/names.ts'
import type { Input } from '../context.ts'
import { Failure, usageError } from '../exit.ts'
import type { PartSource } from '../replay/source/load-part.ts'
import { manifestFile } from '../replay/source/packet-directory.ts'
import { jsonOrNull } from '../requests.ts'
import { type Manifest, parseManifest } from './manifest.ts'
import { bareSource, once, partOf, type Source, sourceOf } from './source.ts'

/** The file of a part in the directory of its packet. */
export const fileOfPart = (fileName: string): string => basename(fileName)

/** A file with one part, or a directory with all parts; null if nothing has this name. */
export async function localSource(path: string): Promise<Source | null> {
  const found = await stat(path).catch(() => null)
  if (found === null) return null
  const place = resolve(path)
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
    const bytes = await readFile(file).catch((error) => {
      if (error.code === 'ENOENT') return null
      throw new SourceBroken(`${file} cannot be read (${error.code})`)
    })
    if (bytes !== null) return bytes
  }
  throw new SourceBroken('it is missing')
}

const withoutGz = (name: string) => name.replace(/\.gz$/, '')

/** The part files of a directory without a manifest, in their order. @throws Failure (usage) if there are none */
function partsIn(directory: string, names: readonly string[]): PartSource[] {
  const files = [...new Set(names.map(withoutGz))]
    .filter((name) => parsePartName(name) || name.endsWith('.json'))
    .sort()
  if (files.length === 0) throw usageError(`${directory} has neither a manifest.json nor part files (.json, .json.gz)`)
  // If one part of a packet is there, the source has all its parts: a missing one fails when it is read.
  const whole = files.flatMap((name) => {
    const part = parsePartName(name)
    return part ? partNames(part.base, part.of) : [name]
  })
  return [...new Set(whole)].map((name) => partOf(name, () => contentOf(join(directory, name))))
}

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cannotBe, Failure, usageError } from '../exit.ts'
import { packetText } from '../format.ts'
import type { Progress } from '../progress.ts'
import { readPart } from '../replay/source/load-part.ts'
import { manifestFile } from '../replay/source/packet-directory.ts'
import { fileOfPart, readManifest } from './local.ts'
import type { Manifest, ManifestPart } from './manifest.ts'
import { problemOf, type Source } from './source.ts'

const partsAtOnce = 4

/**
 * Writes a packet into a directory: its manifest first, so that a later read notices a missing part, then the parts
 * that are not there yet. @returns how many parts were downloaded, and how many were already there
 */
export async function savePacket(source: Source, directory: string, signal: AbortSignal, progress: Progress) {
  const manifest = source.manifest as Manifest
  const names = manifest.parts.map(({ fileName }) => fileOfPart(fileName))
  if (names.includes(manifestFile))
    throw usageError(`a packet named ${manifestFile} and its manifest cannot be kept in one directory`)
  const write = writerTo(directory)
  await mkdir(directory, { recursive: true }).catch(cannotBe('written', directory))
  const earlier = await readManifest(directory)
  if (earlier && earlier.packet !== manifest.packet) {
    throw usageError(`${directory} holds ${earlier.packet}; name another directory with -o`)
  }
  if (earlier === null) await requireFree(directory, manifest, names)
  await write(manifestFile, JSON.stringify(asWritten(manifest), null, 2))
  const stale = (earlier?.parts ?? [])
    .map(({ fileName }) => fileOfPart(fileName))
    .filter((name) => !names.includes(name) && name !== manifestFile)
  for (const name of stale) await rm(join(directory, name), { force: true })

  const counts = { fetched: 0, kept: 0 }
  const remaining = manifest.parts.entries()
  const failed = new AbortController()
  const stop = AbortSignal.any([signal, failed.signal])
  async function work() {
    for (const [index, part] of remaining) {
      stop.throwIfAborted()
      const name = names[index] as string
      if (await isThere(join(directory, name), part)) counts.kept++
      else {
        await write(name, await readPart(source, index, stop))
        counts.fetched++
      }
      const done = counts.fetched + counts.kept
      progress.update({ done, total: names.length, text: packetText(null, done, null) })
    }
  }
  const workers = Array.from({ length: partsAtOnce }, work)
  await Promise.all(workers).finally(() => failed.abort())
  const written = await readManifest(directory)
  if (written?.sha256 !== manifest.sha256 || written.packet !== manifest.packet) {
    throw new Failure('broken', `another command wrote to ${directory} meanwhile; get the packet again`)
  }
  return counts
}

/** Leaves out links, which are secrets and expire soon, and the compression, because parts are written decompressed. */
const asWritten = (manifest: Manifest) => ({
  ...manifest,
  state: manifest.state && { ...manifest.state, keys: manifest.state.keys.map(({ url: _, ...piece }) => piece) },
  parts: manifest.parts.map(({ url: _, compression: __, storedBytes: ___, ...part }) => part),
})

/** Whether a part was downloaded before. */
async function isThere(path: string, part: ManifestPart): Promise<boolean> {
  const bytes = await readFile(path).catch(() => null)
  return bytes !== null && problemOf(bytes, part) === null
}

/** @throws Failure (usage) if the directory has a file that a part would replace, and no manifest that lists it */
async function requireFree(directory: string, { packet, parts }: Manifest, names: readonly string[]) {
  const there = new Set(await readdir(directory))
  for (const [index, name] of names.entries()) {
    if (!there.has(name) || (await isThere(join(directory, name), parts[index] as ManifestPart))) continue
    throw usageError(`${join(directory, name)} is no part of ${packet}; name another directory with -o`)
  }
}

/** Writes files of a directory completely or not at all. */
function writerTo(directory: string) {
  return async (name: string, content: string | Buffer) => {
    const path = join(directory, name)
    // Another `get` may write the same file.
    const unfinished = join(directory, `.${randomUUID()}.incomplete`)
    try {
      await writeFile(unfinished, content)
      await rename(unfinished, path)
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {})
      cannotBe('written', path)(error)
    }
  }
}

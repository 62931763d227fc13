import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { cannotBe, usageError } from '../exit.ts'
import { type Elements, headerOf, type Table } from './tables.ts'

/**
 * A directory that comes to be whole or not at all: it is written under another name beside it.
 * @throws Failure (usage) if it exists and is not empty, or cannot be written
 */
export async function openDirectory(directory: string) {
  const unwritable = cannotBe('written', directory)
  const found = await readdir(directory).catch((error) => (error.code === 'ENOENT' ? [] : unwritable(error)))
  const taken = () => usageError(`${directory} is not empty; name another directory`)
  if (found.length > 0) throw taken()
  const whole = resolve(directory)
  const unfinished = join(dirname(whole), `.${basename(whole)}-${randomUUID()}.incomplete`)
  await mkdir(unfinished, { recursive: true }).catch(unwritable)
  return {
    path: unfinished,
    unwritable,
    write: (file: string, text: string, mode = 0o666) =>
      writeFile(join(unfinished, file), text, { mode, flush: true }).catch(unwritable),

    /** Gives the directory its name. */
    async end(): Promise<void> {
      await rmdir(whole).catch((error) => {
        if (error.code !== 'ENOENT') throw error.code === 'ENOTEMPTY' ? taken() : unwritable(error)
      })
      await rename(unfinished, whole).catch((error) => {
        throw error.code === 'ENOTEMPTY' ? taken() : unwritable(error)
      })
      const handle = await open(dirname(whole), 'r')
      await handle.sync().finally(() => handle.close())
    },

    discard: () => rm(unfinished, { recursive: true, force: true }),
  }
}

/** A file of the importer, and how many rows it has without its header. */
export interface TableFile {
  elements: Elements
  file: string
  rows: number
}

const [leastBytes, mostBytes, bytesOfAll] = [4 * 1024, 256 * 1024, 32 * 1024 * 1024]
const [comma, newline] = [0x2c, 0x0a]

/** Writes the rows of tables into files, each of which begins with the header of its table. */
export function createTableFiles(directory: string, tables: readonly Table[]) {
  const counts = { nodes: 0, relationships: 0 }
  const bufferBytes = Math.max(leastBytes, Math.min(mostBytes, Math.floor(bytesOfAll / tables.length)))
  const files = tables.map((table) => {
    const file = `${table.elements}-${++counts[table.elements]}.csv`
    const handle = openSync(join(directory, file), 'wx')
    writeAll(handle, Buffer.from(`${headerOf(table)}\n`))
    return { handle, file, elements: table.elements, width: table.columns.size, rows: 0, chunk: emptyChunk() }
  })

  return {
    /** Adds the bytes of a row that has so many of the table's columns; the others are empty. */
    add(table: number, columns: number, bytes: Buffer, from: number, to: number): void {
      const one = files[table] as (typeof files)[number]
      const missing = one.width - columns
      const size = to - from + missing + 1
      const { chunk } = one
      if (chunk.length + size > chunk.bytes.length) {
        writeAll(one.handle, chunk.bytes, chunk.length)
        one.chunk = emptyChunk(Math.max(size, Math.min(bufferBytes, 2 * chunk.bytes.length)))
      }
      const { bytes: into, length } = one.chunk
      let at = length + bytes.copy(into, length, from, to)
      for (const end = at + missing; at < end; at++) into[at] = comma
      into[at] = newline
      one.chunk.length = at + 1
      one.rows++
    },

    end(): TableFile[] {
      return files.map(({ handle, chunk, elements, file, rows }) => {
        writeAll(handle, chunk.bytes, chunk.length)
        fsyncSync(handle)
        return { elements, file, rows }
      })
    },

    close(): void {
      for (const { handle } of files) closeSync(handle)
    },
  }
}

const emptyChunk = (size = leastBytes) => ({ bytes: Buffer.allocUnsafe(size), length: 0 })

function writeAll(file: number, bytes: Buffer, length = bytes.length): void {
  for (let at = 0; at < length; ) at += writeSync(file, bytes, at, length - at)
}

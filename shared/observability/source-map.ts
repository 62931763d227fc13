import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../lifecycle/build.ts'

/**
 * A stack whose lines name the TypeScript that a built program was made from. Only for the last error of a program: to
 * read the source map takes a third of a second, in which an API answers nothing.
 */
export function sourceStack(stack: string, file = builtFile === null ? null : import.meta.url): string {
  if (file === null) return stack
  const lines = stack.split('\n').map((line) => {
    // `    at name (file:///app/dist/api.mjs:12:34)`, or without a name and brackets.
    const begins = line.indexOf(`${file}:`)
    if (begins === -1) return line
    const [row, column] = line
      .slice(begins + file.length + 1)
      .split(':')
      .map((text) => Number.parseInt(text, 10)) as [number, number]
    if (!(row > 0 && column > 0)) return line
    const entry = mapOf(file)?.findEntry(row - 1, column - 1)
    if (entry === undefined || !('originalSource' in entry)) return line
    const source = entry.originalSource.replace(/^(\.\.\/)+/, '')
    const place = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    return `${line.slice(0, begins)}${place}${line.endsWith(')') ? ')' : ''}`
  })
  return lines.join('\n')
}

const maps = new Map<string, SourceMap | null>()

/** Null if there is no map: the lines then stay as they are. */
function mapOf(file: string): SourceMap | null {
  const known = maps.get(file)
  if (known !== undefined) return known
  const map = readMap(`${fileURLToPath(file)}.map`)
  maps.set(file, map)
  return map
}

function readMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

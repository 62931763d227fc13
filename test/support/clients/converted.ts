import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyDirectory, runCli } from './cli.ts'

export const pair = (statement: string, parameters: object) => ({ statement, parameters, metadata: null })

export const person = (id: unknown, more: Record<string, unknown> = {}, labels = '') => {
  const keys = ['id', ...Object.keys(more)].sort()
  const map = keys.map((key) => `\`${key}\`: $${key}`).join(', ')
  return pair(`MERGE (n:\`Person\` {\`id\`: $id}) SET n = {${map}}${labels}`, { ...more, id })
}

export const knows = (a_id: unknown, b_id: unknown, more: Record<string, unknown> = {}, id = '') => {
  const keys = Object.keys(more).sort()
  const map = keys.map((key) => `\`${key}\`: $${key}`).join(', ')
  const ends = 'MERGE (a:`Person` {`id`: $a_id}) MERGE (b:`Person` {`id`: $b_id})'
  return pair(`${ends} MERGE (a)-[r:\`KNOWS\`${id}]->(b) SET r = {${map}}`, { a_id, b_id, ...more })
}

export const cleanup = (baseId: unknown, ids_0: unknown[], arrow = '->') =>
  pair(
    `MATCH (n:\`Person\` {\`id\`: $baseId})-[r:\`KNOWS\`]${arrow}(m) WHERE NOT coalesce(m:\`Person\` AND m.\`id\` IN $ids_0, false) DELETE r`,
    { baseId, ids_0 },
  )

/** A part as JSON, with the float 5.0 in place of this text. */
const textOfPart = (statements: readonly object[]) => JSON.stringify({ statements }).replaceAll('"5.0"', '5.0')

/** Converts a packet of parts. @returns what the command says, and the files, if there are any */
export async function converted(parts: readonly (readonly object[])[], ...words: string[]) {
  const directory = emptyDirectory()
  const [packet, out] = [join(directory, 'packet'), join(directory, 'out')]
  mkdirSync(packet)
  for (const [at, statements] of parts.entries())
    writeFileSync(join(packet, `p.jsonPart${at + 1}of${parts.length}`), textOfPart(statements))
  const ran = await runCli(['convert', packet, out, '--to', 'import-csv', ...words])
  return { ...ran, packet, out, left: readdirSync(directory).filter((name) => name !== 'packet') }
}

export const textOf = ({ out }: { out: string }, file: string) => readFileSync(join(out, file), 'utf8')
export const linesOf = (ran: { out: string }, file: string) => textOf(ran, file).trimEnd().split('\n').sort()

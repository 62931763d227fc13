import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PacketSource } from '../../client/replay/replay.ts'
import { inSlices } from '../../dev/requests.ts'
import { acquaintances, idsOf } from './graph.ts'

export const label = 'Copy'

const personText = `MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`active\`: $active, \`age\`: $age, \`born\`: date($born), \`city\`: $city, \`email\`: $email, \`height\`: $height, \`id\`: $id, \`name\`: $name, \`seen\`: datetime($seen), \`tags\`: $tags}`
const knowsText = `MERGE (a:\`${label}\` {\`id\`: $a_id}) MERGE (b:\`${label}\` {\`id\`: $b_id}) MERGE (a)-[r:\`KNOWS\`]->(b) SET r = {\`note\`: $note, \`since\`: $since, \`strength\`: $strength}`

const person = (id: string, i: number) => ({
  id,
  name: `Person ${i}`,
  email: `person${i}@example.org`,
  age: i % 90,
  height: 1.5 + ((i % 50) + 0.5) / 100,
  active: i % 2 === 0,
  born: `${1930 + (i % 90)}-0${1 + (i % 9)}-01`,
  seen: `2023-11-14T22:13:${10 + (i % 50)}Z`,
  tags: ['a', `tag ${i % 10}`],
  city: `City ${i % 1_000}`,
})

const knows = (a_id: string, b_id: string, i: number) => ({
  a_id,
  b_id,
  since: 1990 + (i % 30),
  strength: ((i % 100) + 0.5) / 100,
  note: `met ${i % 1_000} times`,
})

export const pairsPerPart = 5_000

/** Writes the parts of a packet of the benchmark's graph under another label. @returns their files. */
export function writeParts(directory: string, scale: number): string[] {
  const people = idsOf(scale).map((id, index) => ({ statement: personText, parameters: person(id, index) }))
  const acquainted = acquaintances(scale).map(({ a, b, i }) => ({
    statement: knowsText,
    parameters: knows(a, b, Number(i)),
  }))
  const parts = [...inSlices<object>(people, pairsPerPart), ...inSlices<object>(acquainted, pairsPerPart)]
  return parts.map((pairs, index) => {
    const file = join(directory, `replay-part-${index}.json`)
    writeFileSync(file, JSON.stringify({ statements: pairs.map((pair) => ({ ...pair, metadata: null })) }))
    return file
  })
}

export const sourceOf = (files: readonly string[]): PacketSource => ({
  name: 'bench',
  sha256: null,
  generation: null,
  requires: { server: '3.5', constraints: [{ label, property: 'id' }] },
  parts: files.map((name) => ({ name, pairs: null, sha256: null, read: () => readFile(name) })),
})

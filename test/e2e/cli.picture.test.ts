import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDirectory } from '../support/clients/cli.ts'
import { prepareReplay } from '../support/clients/cli-target.ts'

const { org, label, publish, packets } = await prepareReplay(20)

test('inspect draws a packet of the service from its manifest, and the same packet alike from its parts', async () => {
  await publish('people.json')
  const directory = emptyDirectory()
  async function drawn(source: string): Promise<string[]> {
    const file = join(directory, 'people.mmd')
    expect(await packets(['inspect', source, '--picture', file])).toMatchObject({ code: 0, stderr: '' })
    return readFileSync(file, 'utf8').split('\n').slice(2)
  }
  const saved = join(directory, 'saved')
  await packets(['get', `${org}/people.json`, '-o', saved])
  const expected = [
    `  n1("${label}<br>id#58; id<br>upserts#58; 20<br>cleanup of KNOWS #215; 20")`,
    '  n1 -- "KNOWS #215; 20" --> n1',
    '  classDef marked stroke:#b3261e,stroke-dasharray:5 3',
    '  class n1 marked',
    '',
  ]
  for (const source of [`${org}/people.json`, saved, join(saved, 'people.json')])
    expect(await drawn(source)).toEqual(expected)
})

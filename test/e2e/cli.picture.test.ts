import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDirectory } from '../support/clients/cli.ts'
import { prepareReplay } from '../support/clients/cli-target.ts'

const { org, label, publish, packets } = await prepareReplay(20)

test('inspect draws a packet of the service, whose manifest knows no labels', async () => {
  await publish('people.json')
  const file = join(emptyDirectory(), 'people.mmd')
  expect(await packets(['inspect', `${org}/people.json`, '--picture', file])).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(file, 'utf8').split('\n').slice(2)).toEqual([
    `  n1("${label}<br>id#58; id<br>upserts#58; 20<br>cleanup of KNOWS #215; 20")`,
    '  n1 -- "KNOWS #215; 20" --> n1',
    '  classDef marked stroke:#b3261e,stroke-dasharray:5 3',
    '  class n1 marked',
    '',
  ])
})

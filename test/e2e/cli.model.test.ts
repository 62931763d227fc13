import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { emptyDirectory, runCli } from '../support/clients/cli.ts'
import { managerClient, newModel } from '../support/models/models.ts'

test('model prints a version of a data model, and draws it', async () => {
  const { apiUrl, tokens } = inject('service')
  const client = managerClient(createClient(apiUrl, tokens.all as string))
  const { version } = await newModel(client)
  const nodeTypes = [
    { key: 'Movie', properties: [{ key: 'title', unique: true }, { key: 'year' }] },
    { key: 'Person', properties: [] },
  ]
  const document = { properties: [{ key: 'title', dataType: 'String' }, { key: 'year' }], nodeTypes }
  expect(await client.post(`import/${version.grn}`, document)).toMatchObject({ status: 200 })

  const file = join(emptyDirectory(), 'model.svg')
  const variables = { PACKETS_URL: apiUrl, PACKETS_TOKEN: tokens.all as string }
  expect(await runCli(['model', version.grn, '--picture', file], variables)).toEqual({
    code: 0,
    stderr: '',
    stdout: `${version.grn}: 2 node types, 2 properties\n  Movie: title (unique), year\n  Person\n`,
  })
  expect(readFileSync(file, 'utf8')).toContain('>title (unique)</text>')
})

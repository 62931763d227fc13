import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDirectory, runCli } from '../../support/clients/cli.ts'
import { startFakeService } from '../../support/servers/fake-service.ts'

const grn = 'grn:gg:managerversion:4'
const many = Array.from({ length: 14 }, (_, index) => ({ key: `p${index + 1}` }))
const document = {
  properties: many,
  nodeTypes: [
    { key: 'Movie "x"', properties: [{ key: 'title', unique: true, required: true }, { key: 'year' }] },
    { key: 'Wide', properties: many },
    { key: 'Empty', properties: [] },
  ],
}

test('model prints the node types of a version with their properties', async () => {
  const service = await startFakeService(() => ({ status: 200, body: document }))
  const { code, stdout, stderr } = await runCli(['model', grn], service.variables)
  const wide = many.map(({ key }) => key).join(', ')
  expect({ code, stderr, stdout }).toEqual({
    code: 0,
    stderr: '',
    stdout: `${grn}: 3 node types, 14 properties\n  Movie "x": title (unique, required), year\n  Wide: ${wide}\n  Empty\n`,
  })
  expect(service.requests.map(({ url }) => decodeURIComponent(url))).toEqual([`/1.0/manager/export/${grn}`])
  const json = await runCli(['model', grn, '--json'], service.variables)
  expect(JSON.parse(json.stdout)).toEqual({ version: grn, ...document })
})

test('model --picture draws the node types, with the first twelve of many properties', async () => {
  const service = await startFakeService(() => ({ status: 200, body: document }))
  const file = join(emptyDirectory(), 'model.mmd')
  expect(await runCli(['model', grn, '--picture', file], service.variables)).toMatchObject({ code: 0, stderr: '' })
  const lines = readFileSync(file, 'utf8').split('\n')
  expect(lines[2]).toBe('  n1("Movie #34;x#34;<br>title #40;unique#44; required#41;<br>year")')
  expect(lines[3]).toMatch(/^ {2}n2\("Wide<br>p1<br>.*<br>p12<br>and 2 more"\)$/)
  expect(lines.slice(4)).toEqual(['  n3("Empty")', ''])
})

test('an answer of the service that is no success is exit code 7', async () => {
  const service = await startFakeService(() => ({
    status: 404,
    body: { status: 404, title: 'Not Found', detail: 'there is no such record' },
  }))
  expect(await runCli(['model', grn], service.variables)).toMatchObject({
    code: 7,
    stdout: '',
    stderr: expect.stringContaining('there is no such record'),
  })
})

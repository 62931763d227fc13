import { hash } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDirectory, runCli } from '../../support/clients/cli.ts'
import { manifest } from '../../support/clients/fake-packet.ts'
import { startFakeService } from '../../support/servers/fake-service.ts'

const odd = /^error: http:\S+ answered something else than this service does\n$/

test.each(['ls', 'jobs', 'job'])('%s refuses an answer that is not of this service', async (command) => {
  for (const body of [{}, null, [], 'a text', { fileNames: 'a', jobs: 1, next: null }]) {
    const { variables, requests } = await startFakeService(() => ({ status: 200, body }))
    const { code, stderr } = await runCli([command, 'acme'], variables)
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringMatching(odd) })
    expect(requests).toHaveLength(1)
  }
})

test.each([['whoami'], ['overview'], ['model', 'v1'], ['job', 'j1', '--cancel']])(
  '%s %s %s refuses an answer that is not of this service',
  async (...words) => {
    for (const body of [{}, null, [], 'a text']) {
      const { variables } = await startFakeService(() => ({ status: 200, body }))
      const { code, stderr } = await runCli(words, variables)
      expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringMatching(odd) })
    }
  },
)

test.each(['ls', 'jobs'])('%s ends where a page names itself as the next one', async (command) => {
  const page = { fileNames: ['a'], jobs: [], next: 'a' }
  const { variables, requests } = await startFakeService(() => ({ status: 200, body: page }))
  const { code, stderr } = await runCli([command, 'acme', '--limit', '1000000'], variables)
  expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringMatching(odd) })
  expect(requests).toHaveLength(2)
})

test('a manifest of the service without a link, or with two parts that would be one file, is refused', async () => {
  const whole = manifest('http://127.0.0.1:1')
  const [part] = whole.parts
  const { url: _, ...unlinked } = { ...part, url: '' }
  const cases = [
    [[unlinked], 'parts: url: is missing'],
    [
      [
        { ...part, fileName: 'a/p.json' },
        { ...part, fileName: 'b/p.json' },
      ],
      'parts: several have the same file name',
    ],
  ] as const
  for (const [parts, problem] of cases) {
    const { variables } = await startFakeService(() => ({
      status: 200,
      body: { ...whole, sha256: hash('sha256', parts.map((one) => one.sha256).join('\n')), parts },
    }))
    const { code, stderr } = await runCli(['get', 'acme/p', '-o', join(emptyDirectory(), 'p')], variables)
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining(`acme/p is not valid: ${problem}\n`) })
  }
})

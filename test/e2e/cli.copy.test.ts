import { expect, test } from 'vitest'
import { prepareCopies } from '../support/clients/cli-copy.ts'

const { org, differing, prepareCopy } = await prepareCopies(300)

test('a request is published, replayed and verified, and nothing is left to remember', async () => {
  const { copy, remembered, made } = prepareCopy('copied.json')
  const { code, stdout, stderr } = await copy(['--create-constraints', '--progress', 'none'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [job, replayed, verified] = stdout.split('\n')
  expect(job).toMatch(/^\S+ {2}succeeded {2}/)
  expect(replayed).toMatch(new RegExp(`^${org}/copied.json: replayed 1 part: `))
  expect(verified).toMatch(new RegExp(`^${org}/copied.json: the target agrees; 900 pairs compared`))
  expect(await differing()).toEqual([])
  expect(remembered()).toEqual([])
  // A packet of this name is there.
  expect(await copy([])).toMatchObject({ code: 7, stderr: expect.stringContaining('409') })
  const again = await copy(['--force', '--json', '--progress', 'none'])
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(again.stdout)).toMatchObject({
    job: { state: 'succeeded' },
    replay: { partsDone: 1 },
    verify: { isEqual: true, differing: 0 },
  })
  expect(await made()).toBe(2)
})

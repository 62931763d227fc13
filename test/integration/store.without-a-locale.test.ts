import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('the S3 server of npm start stores names outside ASCII if the environment has no locale', async () => {
  const program = join(import.meta.dirname, '../support/programs/store-a-name.ts')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME } as NodeJS.ProcessEnv
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'é/日本.json'], { env, timeout: 90_000 })
  expect(JSON.parse(stdout)).toEqual(['é/日本.json'])
}, 100_000)

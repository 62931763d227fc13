import { tmpdir } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { openRun } from '../../../dev/stack/run.ts'
import { buildGoServer, versityGw } from '../../stores/go-server.ts'

test('without Go, a server that Go builds is refused by one line that says what to install', async () => {
  const { PATH } = process.env
  process.env.PATH = tmpdir()
  const run = openRun(tmpdir(), () => {})
  onTestFinished(async () => {
    process.env.PATH = PATH
    await run.stop()
  })
  await expect(buildGoServer(run, { ...versityGw, version: 'never-built' })).rejects.toThrow(
    /^No Go: install Go \(go on the PATH\) to build versitygw$/,
  )
})

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { followLog } from '../../dev/stack/follow-log.ts'

test('a log is returned whole while it grows, also where a read ends within a character', () => {
  const directory = mkdtempSync(join(tmpdir(), 'log-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'program.log')
  const long = 'ü'.repeat(300_001)
  writeFileSync(file, `a${long}\n`)
  const log = followLog(file)
  expect(log()).toBe(`a${long}\n`)
  expect(log()).toBe(`a${long}\n`)
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)]
  appendFileSync(file, first)
  log()
  appendFileSync(file, second)
  expect(log()).toBe(`a${long}\né`)
})

import { expect, test } from 'vitest'
import { printable } from '../../../client/context.ts'
import { runCli } from '../../support/clients/cli.ts'
import { startFakeService } from '../../support/servers/fake-service.ts'

/** Sets a terminal's title, and clears its screen. */
const hostile = 'name\u001b]0;title\u0007\u009b2J\u007f\r'
/** Characters that change the direction of text, so that what follows them reads differently. */
const turning = '\u061c\u200e\u200f\u202a\u202e\u2066\u2069'
const turningShown = '\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069'
const shown = 'name\\u001b]0;title\\u0007\\u009b2J\\u007f\\u000d'

test('control characters of data do not reach a terminal; line feeds and tabs do', () => {
  expect(printable(`1\t${hostile}\n2`)).toBe(`1\t${shown}\n2`)
})

test('characters that change the direction of text do not reach a terminal either', () => {
  expect(printable(`1\t${turning}\n2`)).toBe(`1\t${turningShown}\n2`)
})

test('an error message shows them as escapes', async () => {
  const { code, stderr } = await runCli(['publish', `no-file${hostile}`])
  expect([code, stderr.split('\n')[0]]).toEqual([2, `error: no-file${shown} cannot be read (ENOENT)`])
})

test('JSON shows them as escapes, and means the same', async () => {
  const name = `${hostile}${turning}`
  const body = { fileNames: [name], expiresAt: [null], next: null }
  const service = await startFakeService(() => ({ status: 200, body }))
  const { stdout } = await runCli(['ls', 'acme', '--json'], service.variables)
  expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_C}/u)
  expect(JSON.parse(stdout).files).toEqual([name])
})

test('ls writes one line for each name, whatever is in it', async () => {
  const body = { fileNames: ['a\nb', 'c\td'], expiresAt: [null, null], next: null }
  const service = await startFakeService(() => ({ status: 200, body }))
  const { stdout } = await runCli(['ls', 'acme'], service.variables)
  expect(stdout).toBe('a\\u000ab\nc\\u0009d\n')
})

test('the trace of an unforeseen error shows them as escapes', async () => {
  // Its message quotes what the service sent.
  const service = await startFakeService(() => ({ status: 200, body: Buffer.from(hostile) }))
  const request = { dbUrl: 'bolt://origin', credentials: 'Basic bmVvNGo6cGFzcw==', originIds: ['a'] }
  const words = ['publish', '-', '--dry-run']
  const { code, stderr } = await runCli(words, service.variables, JSON.stringify(request))
  expect([code, stderr]).toEqual([1, expect.stringContaining('"name\\u001b]0;title\\u0007')])
  expect(stderr).not.toMatch(/[^\P{Cc}\n]/u)
})

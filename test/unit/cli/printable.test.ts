import { expect, test } from 'vitest'
import { printable } from '../../../cli/context.ts'
import { runCli } from '../../support/cli.ts'

/** Sets a terminal's title, and clears its screen. */
const hostile = 'name\u001b]0;title\u0007\u009b2J\u007f\r'
const shown = 'name\\u001b]0;title\\u0007\\u009b2J\\u007f\\u000d'

test('control characters of data do not reach a terminal; line feeds and tabs do', () => {
  expect(printable(`1\t${hostile}\n2`)).toBe(`1\t${shown}\n2`)
})

test('an error message shows them as escapes', async () => {
  const { code, stderr } = await runCli(['publish', `no-file${hostile}`])
  expect([code, stderr.split('\n')[0]]).toEqual([2, `error: no-file${shown} cannot be read (ENOENT)`])
})

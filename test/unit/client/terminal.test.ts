import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { Context } from '../../../client/context.ts'
import { run } from '../../../client/program.ts'
import { startProgress } from '../../../client/progress.ts'
import { readSecret } from '../../../client/secrets.ts'
import { runCli } from '../../support/clients/cli.ts'

/** A stream that passes for a terminal, and what was written to it. */
function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 25, setRawMode: () => stream })
  return { stream, written: () => String(stream.read() ?? '') }
}

function contextWith(typed: string) {
  const [input, output] = [terminal(), terminal()]
  const environment = { PACKETS_URL: 'http://127.0.0.1:9' }
  const streams = { stdin: input.stream, stdout: new PassThrough(), stderr: output.stream }
  const context: Context = { environment, ...streams, signal: new AbortController().signal }
  if (typed === '') input.stream.end()
  else input.stream.write(typed)
  return { context, written: output.written }
}

const password = {
  what: 'the password',
  option: '--password-file',
  file: undefined,
  variable: 'PACKETS_TARGET_PASSWORD' as const,
}

test('a secret is asked for on a terminal, without echo', async () => {
  const { context, written } = contextWith('hunter2\r')
  expect(await readSecret(context, password)).toBe('hunter2')
  expect(written()).toBe('Enter the password: \n')
})

test('a terminal that ends, or an empty line, gives no secret', async () => {
  for (const typed of ['', '\r']) {
    const { context } = contextWith(typed)
    await expect(readSecret(context, password)).rejects.toMatchObject({
      exit: 'usage',
      message: 'the password is missing',
    })
  }
})

test('the token is asked for on a terminal, too', async () => {
  const { context, written } = contextWith('the-token\r')
  expect(await run(['ls', 'acme'], context)).toBe(7)
  expect(written()).toMatch(/^Enter the token for http:\/\/127\.0\.0\.1:9: \nerror: .* is not reachable/)
})

test('progress is a bar on a terminal', () => {
  const { stream, written } = terminal()
  const progress = startProgress(stream)
  progress.update({ done: 0, total: 4, text: 'begins' })
  progress.update({ done: 2, total: 4, text: 'half of\u009b it' })
  progress.stop()
  expect(written()).toMatch(/50% \| half of\\u009b it/)
})

test('a bar is refused where there is no terminal', async () => {
  const { code, stderr } = await runCli(['job', 'a', '--follow', '--progress', 'bar'])
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Allowed choices are plain, json, none.'),
  })
})

test('--progress none shows nothing', () => {
  const { stream, written } = terminal()
  const progress = startProgress(stream, 'none')
  progress.update({ done: 0, total: 4, text: 'begins' })
  progress.stop()
  expect(written()).toBe('')
})

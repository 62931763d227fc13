import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemsOfFiles } from '../../../api/files-of-settings.ts'

test('files that settings need are checked with the settings: the tokens, and the console if it is on', () => {
  const none = join(tmpdir(), 'no-such-file')
  const problemsOf = (given: Record<string, string>) => [...problemsOfFiles(given, none)]
  const [tokens, console] = [
    'AUTH_TOKENS: the file cannot be read (ENOENT)',
    expect.stringMatching(/^CONSOLE is on, but/),
  ]
  expect(problemsOf({ AUTH_TOKENS: none, CONSOLE: 'on' })).toEqual([tokens, console])
  expect(problemsOf({ CONSOLE: 'https://dashboard.example' })).toEqual([console])
  // The settings report the invalid value themselves.
  for (const value of ['off', 'yes']) expect(problemsOf({ CONSOLE: value })).toEqual([])
  expect(problemsOf({ AUTH_TOKENS: tmpdir() })).toEqual(['AUTH_TOKENS: the file cannot be read (EISDIR)'])
})

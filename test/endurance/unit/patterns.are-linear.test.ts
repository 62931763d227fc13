import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
// The pure JavaScript of recheck: its default entry starts a program of the platform, or Java.
import { checkSync } from 'recheck/lib/browser.js'
import { expect, test } from 'vitest'

interface Pattern {
  file: string
  source: string
  flags: string
}

const root = join(import.meta.dirname, '../../..')
const patterns: Pattern[] = []
const builders: string[] = []
for (const file of globSync('{api,worker,packet,wire,shared,client,doctor}/**/*.ts', { cwd: root })) {
  const { program, errors } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  new Visitor({
    Literal(node) {
      if ('regex' in node) patterns.push({ file, source: node.regex.pattern, flags: node.regex.flags })
    },
    Identifier({ name }) {
      if (name === 'RegExp') builders.push(file)
    },
  }).visit(program)
}

/**
 * A pattern with its larger counted repetitions as unbounded ones: if that is linear, so is the pattern, and the checker
 * needs a fraction of the time.
 */
const unbounded = (source: string) =>
  source.replace(/\{(\d+),(\d+)\}/g, (counted, least, most) => (Number(most) < 10 ? counted : `{${least},}`))

// The other checker tries texts at random. This one knows neither lookarounds nor back-references, and says so. It takes
// some 10 s for all of them; the limits are for a busy machine.
const limits = { checker: 'automaton', timeout: 120_000, recallLimit: 0 } as const

/** Without an unbounded repetition, a pattern looks at a bounded number of characters from each position. */
const repeats = (source: string) => /[*+]|,\}/.test(source.replaceAll(/\\.|\[(?:\\.|[^\\\]])*\]/g, '.'))

test('the product has regular expressions, and builds none from a text, which this file could not check', () => {
  expect(patterns.length).toBeGreaterThan(100)
  expect(builders).toEqual([])
})

test('every regular expression of the product matches in linear time', { timeout: 600_000 }, () => {
  const vulnerable = patterns.flatMap(({ file, source, flags }) => {
    const checked = unbounded(source)
    if (!repeats(checked)) return []
    const result = checkSync(checked, flags, limits)
    const verdict = result.status === 'vulnerable' ? result.complexity.summary : result.status
    return verdict === 'safe' ? [] : [`${file}: /${source}/${flags} is ${verdict}`]
  })
  expect(vulnerable).toEqual([])
})

test('the checker finds the expressions that took minutes', () => {
  const slow = ['^P?a?r?t?\\d*o?f?\\d*$', '^\\s*(\\w+)\\s*((?:\\[\\s*\\])?)\\s*$', '^(a+)+$', '0+$']
  expect(slow.map((source) => checkSync(unbounded(source), '', limits).status)).toEqual(slow.map(() => 'vulnerable'))
})

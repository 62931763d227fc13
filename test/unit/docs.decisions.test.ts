import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { relativeLinksOf } from '../support/documents/documents.ts'
import { textOf } from '../support/documents/manifests.ts'

const files = globSync('*.md', { cwd: join(import.meta.dirname, '../../docs/decisions') }).sort()
const records = files.filter((file) => file !== 'README.md')

test('the index of decisions links to each record once, in order, and to no other', () => {
  const index = textOf('docs/decisions/README.md')
  const linked = relativeLinksOf(index).map(({ path }) => path)
  expect(records.length).toBeGreaterThan(0)
  expect(linked.filter((path) => !path.startsWith('../'))).toEqual(records)
})

test.each(records)('%s has its number, a title, and three headings', (file) => {
  const [, number, name] = /^(\d{4})-([a-z0-9-]+)\.md$/.exec(file) ?? []
  expect(name).toBeDefined()
  const text = textOf(`docs/decisions/${file}`)
  expect(text).toMatch(new RegExp(`^# ${Number(number)}\\. \\S`))
  expect([...text.matchAll(/^#+ .*$/gm)].slice(1).map(([heading]) => heading)).toEqual([
    '## Context',
    '## Decision',
    '## Consequence',
  ])
})

test('no two records have the same number', () => {
  expect(new Set(records.map((file) => file.slice(0, 4))).size).toBe(records.length)
})

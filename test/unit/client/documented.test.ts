import { expect, test } from 'vitest'
import { variableNames } from '../../../client/environment.ts'
import { exitCodes } from '../../../client/exit.ts'
import { createProgram } from '../../../client/program.ts'
import { textOf } from '../../support/documents/manifests.ts'

const chapter = textOf('docs/client.md')
const program = createProgram({ environment: {}, stderr: {}, signal: new AbortController().signal } as Parameters<
  typeof createProgram
>[0])

/** The rows of the table below a heading, as cells. */
function tableBelow(heading: string): string[][] {
  const [, section = ''] = chapter.split(`\n## ${heading}\n`)
  const rows =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| ')) ?? []
  return rows.slice(2).map((row) =>
    row
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  )
}

const codesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string)

test('every command is documented, with its arguments, and no other', () => {
  const shown = [...chapter.matchAll(/^packets (\w+) (.*?) {2,}\S/gm)].map(([, name, words]) => [
    name,
    words?.split(' ').filter((word) => word !== '').length,
  ])
  const exist = program.commands.map((command) => {
    const required = command.options.filter(({ mandatory }) => mandatory).length
    return [command.name(), command.registeredArguments.length + 2 * required]
  })
  const counted = shown.map(([name, words]) => [name, name === 'ls' ? 2 : words])
  expect(counted).toEqual(exist)
})

test('every option of every command is documented, and no other', () => {
  const told = tableBelow('Options').flatMap(([option, of]) => {
    const commands = of === 'all' ? program.commands.map((command) => command.name()) : codesIn(of)
    return commands.map((command) => `${command} ${codesIn(option)[0]?.replace(/ \[?[A-Z]+\]?$/, '')}`)
  })
  const exist = program.commands.flatMap((command) =>
    command.options.map(({ flags }) => `${command.name()} ${flags.replace(/ [<[].*$/, '')}`),
  )
  expect(told.sort()).toEqual(exist.sort())
})

test('the defaults of options are documented', () => {
  const meaningOf = new Map(
    tableBelow('Options').map(([option, , meaning]) => [codesIn(option)[0]?.match(/--[a-z-]+/)?.[0], meaning]),
  )
  const defaults = program.commands.flatMap((command) =>
    command.options.filter(({ defaultValue, negate }) => defaultValue !== undefined && !negate),
  )
  expect([...new Set(defaults.map(({ long }) => long))]).toEqual([
    ...['--limit', '--lanes', '--batch', '--on-error', '--database', '--importer'],
  ])
  for (const { long, defaultValue } of defaults) {
    expect(meaningOf.get(long as string)?.replaceAll(',', '')).toMatch(new RegExp(`\\b${defaultValue}\\b`))
  }
})

test('exactly the variables that are read are documented', () => {
  expect(tableBelow('Environment').map(([name]) => codesIn(name)[0])).toEqual([...variableNames])
})

test('exactly the exit codes are documented', () => {
  expect(tableBelow('Exit codes').map(([code]) => Number(code))).toEqual(Object.values(exitCodes))
})

import { describe, expect, test } from 'vitest'
import { endpoints } from '../../api/endpoints.ts'
import { environment } from '../../shared/config/env.ts'
import { publishFields } from '../../shared/request/fields.ts'
import { jobSchema } from '../../wire/job.ts'
import { anchorsOf } from '../support/documents/documents.ts'
import { textOf } from '../support/documents/manifests.ts'

const contract = textOf('docs/contract.md')
const specification = textOf('docs/specification.md')

/** The text of the contract between two anchors. */
const between = (from: string, to: string) =>
  contract.slice(contract.indexOf(`<a id="${from}">`), contract.indexOf(`<a id="${to}">`))

/** The cells of all table rows whose first cell starts with code or a status. */
const rowsOf = (text: string) =>
  [...text.matchAll(/^ *\| (?=`|\d{3} )(.*) \|$/gm)].map(([, row]) =>
    (row as string).split('|').map((cell) => cell.trim()),
  )
const codesIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string)

describe('the table of settings', () => {
  const rows = rowsOf(between('11', '12')).map(([name, value]) => [codesIn(name)[0], value] as const)

  test('the table of settings lists exactly the variables', () => {
    expect(rows.map(([name]) => name).sort()).toEqual(Object.keys(environment.shape).sort())
  })

  test('the table of settings shows their defaults', () => {
    const defaults = Object.entries(environment.shape).map(([name, schema]) => {
      const absent = schema.safeParse(undefined)
      return [name, absent.success ? absent.data : 'required'] as const
    })
    const told = new Map(rows)
    const wrong = defaults.filter(([name, value]) => {
      if (value === undefined) return told.get(name) === 'required'
      return told.get(name) !== (value === 'required' ? value : `\`${value}\``)
    })
    expect(wrong).toEqual([])
  })
})

test('the error table lists every code of the catalogue, with its status', () => {
  const catalogue = ['catalogue', 'of-origins', 'of-states'].map((name) => textOf(`shared/errors/${name}.ts`)).join('')
  const thrown = [...catalogue.matchAll(/(?:new AppError|caused)\(\s*(\d{3}),\s*'(\w+)'/g)].map(
    ([, status, code]) => `${status} ${code}`,
  )
  const told = rowsOf(between('3-errors', '4')).flatMap(([status, codes]) =>
    codesIn(codes).map((code) => `${status} ${code}`),
  )
  expect(thrown.length).toBeGreaterThan(50)
  // Several errors may share a code.
  expect([...told, '499 clientGone'].sort()).toEqual([...new Set(thrown)].sort())
})

test('exactly the mounted endpoints are documented', () => {
  const withoutNames = (path: string) => path.replace(/\{[^}]+\}|:\w+/g, '{}').replace(/\?.*$/, '')
  const described = [...`${contract}\n${specification}`.matchAll(/`(GET|POST|PUT|DELETE) (\/1\.0\/[^`…]+)`/g)].map(
    ([, method, path = '']) => `${method} ${withoutNames(path)}`,
  )
  const mounted = endpoints.map(({ method, path }) => `${method.toUpperCase()} ${withoutNames(path)}`)
  expect([...new Set(described)].sort()).toEqual([...new Set(mounted)].sort())
})

test('every field of a publish request has an anchor', () => {
  const places = [...anchorsOf(specification), ...anchorsOf(contract)]
  const fields = Object.keys(publishFields).map((field) => field.toLowerCase())
  expect(fields.filter((field) => !places.includes(field) && !places.includes(`4-${field}`))).toEqual([])
})

test('the documented fields of a job match its schema, in order', () => {
  const fields = rowsOf(between('7-job', '7-states')).flatMap(([names]) => codesIn(names))
  expect(fields).toEqual(Object.keys(jobSchema.shape))
})

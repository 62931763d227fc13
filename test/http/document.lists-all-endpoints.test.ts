import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, inject, test } from 'vitest'
import type { z } from 'zod'
import type { ApiContext } from '../../api/context.ts'
import { endpoints } from '../../api/endpoints.ts'
import { mountEndpoints } from '../../api/http/mount.ts'
import { document, operations } from '../support/clients/documented.ts'

const withoutNames = (path: string) => path.replaceAll(/\{\w+\}|:\w+/g, '{}')
const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
const shapeOf = (schema: z.ZodType | undefined) => Object.keys((schema as z.ZodObject | undefined)?.shape ?? {})

test('the service serves this document, as JSON', async () => {
  const response = await fetch(`${inject('service').apiUrl}/openapi.json`)
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)))
})

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
})

test('the document has every route of the router, and no other', () => {
  const routes = mountEndpoints({} as ApiContext, endpoints).stack.flatMap(({ route }) =>
    Object.keys((route as unknown as { methods: Record<string, boolean> } | undefined)?.methods ?? {})
      .filter((method) => method !== '_all')
      .map((method) => `${method.toUpperCase()} ${withoutNames(route?.path ?? '')}`),
  )
  const told = operations.map(({ method, path }) => `${method} ${withoutNames(path)}`)
  expect(routes.length).toBeGreaterThan(45)
  expect(told.sort()).toEqual(routes.sort())
})

test('every reference resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference)
  expect(references.length).toBeGreaterThan(50)
  for (const reference of new Set(references)) {
    const steps = (reference as string).split('/')
    expect(steps.shift()).toBe('#')
    const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], document)
    expect([reference, typeof found]).toEqual([reference, 'object'])
  }
})

test('every operation has a unique id, a summary and a tag', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { operation } of operations)
    expect(operation).toMatchObject({
      summary: expect.stringMatching(/\w/),
      tags: [expect.stringMatching(/^[A-Z]\w+$/)],
    })
})

describe.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_name, { method, path, query, body, takes = [], scope }) => {
    const found = operations.find(
      (one) => one.method === method.toUpperCase() && withoutNames(one.path) === withoutNames(path),
    )
    const { parameters = [], requestBody, responses } = (found as (typeof operations)[number]).operation
    const named = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name)

    test('the endpoint has its parameters in the document, and no others', () => {
      expect(named('path')).toEqual(namesIn(found?.path ?? ''))
      expect(parameters.filter((one) => one.in === 'path' && one.required !== true)).toEqual([])
      expect(named('query')).toEqual(shapeOf(query))
      expect(named('header')).toEqual([...takes])
      for (const { schema } of parameters) expect(Object.keys(schema).length).toBeGreaterThan(0)
    })

    test('the endpoint has its parameters under their own names, even where its path is shared', () => {
      const told = parameters.filter((one) => one.in === 'path')
      const own = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
      for (const [at, name] of own.entries()) {
        const { name: shared, schema, description } = told[at] as (typeof told)[number]
        expect(['grn', name.replace(/Grn$/, ''), name]).toContain(shared)
        if (shared !== name) expect(description).toBe(name)
        if (/Grn$/.test(name)) expect(schema).toMatchObject({ pattern: expect.stringContaining(`:(`) })
      }
    })

    test('the endpoint has its body in the document, with an example', () => {
      expect(requestBody?.required).toBe(body && body.isOptional !== true)
      expect(Object.keys(requestBody?.content ?? {})).toEqual(body ? ['application/json'] : [])
      if (body) expect(requestBody?.content['application/json']).toMatchObject({ example: body.example })
    })

    test('the endpoint has its responses in the document', () => {
      const always = ['200', '400', '429', '500', '503']
      const whenClosed = scope === null ? [] : scope === 'any' ? ['401'] : ['401', '403']
      const withBody = body ? ['413', '415'] : []
      expect(Object.keys(responses)).toEqual(expect.arrayContaining([...always, ...whenClosed, ...withBody]))
      for (const { headers } of Object.values(responses)) expect(headers['X-Request-Id']?.required).toBe(true)
      expect(responses[429]?.headers['Retry-After']?.required).toBe(true)
      expect(responses[503]?.headers['Retry-After']?.required).toBe(true)
      if (scope !== null) expect(responses[401]?.headers['WWW-Authenticate']?.required).toBe(true)
    })
  },
)

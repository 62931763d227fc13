import { expect, test } from 'vitest'
import { operations } from '../../support/clients/documented.ts'

test('every operation with a body may answer that the body was not received in time, and no other', () => {
  const withBody = operations.filter(({ operation }) => operation.requestBody !== undefined)
  expect(withBody.length).toBeGreaterThan(5)
  for (const { path, operation } of operations)
    expect([path, '408' in operation.responses]).toEqual([path, operation.requestBody !== undefined])
})

test('a publish may be refused for the requests of the token, and for the unfinished publishes of the org', () => {
  const described = operations.flatMap(({ method, path, operation }) => {
    const { description = '' } = operation.responses[429] as { description?: string }
    return description.includes('unfinished publishes of this org') ? [`${method} ${path} ${description}`] : []
  })
  const both =
    'Too many requests of this token, or too much of it under way, or too many unfinished publishes of this org'
  expect(described.sort()).toEqual([`POST /1.0/publish/ ${both}`, `POST /1.0/publish/multi ${both}`].sort())
})

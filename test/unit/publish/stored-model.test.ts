import { expect, test } from 'vitest'
import type { BoundModel } from '../../../shared/request/bound-model.ts'
import { boundModel, storedModel } from '../../../shared/request/stored-model.ts'

test('a model is the same after it was stored', () => {
  const model: BoundModel = {
    version: 'grn:gg:managerversion:1',
    types: [
      {
        label: 'Person',
        properties: [{ key: 'id', dataType: 'String', unique: true, required: true }, { key: 'any' }],
      },
      { label: 'City', properties: [{ key: 'id', dataType: 'String', indexed: true }] },
      { label: 'Empty', properties: [] },
    ],
    properties: ['any', 'id', 'unused'],
  }
  expect(boundModel(JSON.parse(JSON.stringify(storedModel(model))))).toEqual(model)
})

test('a stored model has each key and type once, however many node types have the property', () => {
  const key = 'k'.repeat(255)
  const types = Array.from({ length: 1_000 }, (_, at) => ({
    label: `T${at}`,
    properties: [{ key, dataType: 'LocalDateTime[]' }],
  }))
  const text = JSON.stringify(storedModel({ version: 'v', types, properties: [key] }))
  expect([text.split(key).length - 1, text.split('LocalDateTime').length - 1]).toEqual([1, 1])
  expect(text.length).toBeLessThan(50_000)
})

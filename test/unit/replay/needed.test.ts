import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createNeeds } from '../../../client/replay/preflight/needs.ts'
import { nodeUpsert } from './items.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

test('the needs of a packet of any number of texts hold the properties only, not the texts', async () => {
  const needs = createNeeds()
  const add = () => {
    const items = nodeUpsert('a')
    needs.add(items)
    return new WeakRef(items[0]?.recognised as object)
  }
  const recognised = add()
  await new Promise((resolve) => setTimeout(resolve))
  collectGarbage()
  expect(recognised.deref()).toBeUndefined()
  expect(needs.all()).toEqual([{ label: 'P', property: 'id' }])
})

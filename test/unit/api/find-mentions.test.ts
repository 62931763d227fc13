import { expect, onTestFinished, test, vi } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import { createBudget } from '../../../api/http/body/budget.ts'
import { findMentions } from '../../../api/publish/find-mentions.ts'
import type { Principal } from '../../../shared/auth/principal.ts'
import type { StoredState } from '../../../shared/storage/manifest.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import type { Mentions } from '../../../wire/mentions.ts'
import { storePackets } from '../../support/storage/many-packets.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { only } from '../../support/values/only.ts'

const store = openMemoryStore()
await storePackets(store, 'acme', 10)
const storage = storageOn(store)
const listBudget = createBudget(Number.POSITIVE_INFINITY, 'lists')
const principal = only<Principal>({ identity: 'ann' })

type Generations = ApiContext['generations']

async function find(change: Partial<Generations>, after?: string): Promise<Mentions> {
  const generations = only<Generations>({ ...storage.generations, ...change })
  const context = only<ApiContext>({ ...storage, generations, listBudget })
  const query = after === undefined ? {} : { after }
  const input = { params: { orgName: 'acme' }, query, body: { ids: ['JFK'] } }
  const rest = only<Parameters<typeof findMentions.handle>[1]>({ signal: new AbortController().signal, principal })
  const answer = await findMentions.handle(context, Object.assign(rest, input))
  return (answer as { value: Mentions }).value
}

test('a page ends after ten seconds, and the next one continues behind it', async () => {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const slow: Partial<Generations> = {
    current(name) {
      now += 4_000
      return storage.generations.current(name)
    },
  }
  const pages: string[][] = []
  let after: string | undefined
  do {
    const { unknown, next } = await find(slow, after)
    pages.push(unknown.map(({ fileName }) => fileName))
    after = next ?? undefined
  } while (after !== undefined && pages.length < 20)
  expect(pages.map(({ length }) => length)).toEqual([3, 3, 3, 1])
  expect(new Set(pages.flat()).size).toBe(10)
})

test.each([null, undefined])(
  'a packet whose state does not list its kinds (%s) may name every id',
  async (keyKinds) => {
    const withState: Partial<Generations> = {
      async current(name) {
        const found = await storage.generations.current(name)
        const state = only<StoredState>(Object.assign({ hasUnlisted: false, lines: [] }, { keyKinds }))
        return found && { generation: found.generation, manifest: { ...found.manifest, state } }
      },
    }
    const { packets, unknown } = await find(withState)
    expect(packets).toEqual([])
    expect(new Set(unknown.map(({ reason }) => reason))).toEqual(new Set(['tooManyKinds']))
  },
)

import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import { createBudget } from '../../../api/http/body/budget.ts'
import { readingFor } from '../../../api/http/body/reading.ts'
import type { Input } from '../../../api/http/endpoint.ts'
import { findFiles } from '../../../api/publish/find-files.ts'
import { listFiles } from '../../../api/publish/list-files.ts'
import type { Principal } from '../../../shared/auth/principal.ts'
import type { JobRecords } from '../../../shared/jobs/job-records.ts'
import { positionText } from '../../../shared/storage/listing/position.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { only } from '../../support/values/only.ts'

const store = openMemoryStore()
const empty = Buffer.from('{}')
/** Parts of the context that a list of files does not use. */
const unread = { records: only<JobRecords>({ briefsOf: async () => [], readMany: async () => [] }), models: null }
const context = only<ApiContext>(storageOn(store))
const nameOf = (number: number) => `f${String(number).padStart(5, '0')}`
beforeAll(async () => {
  for (let number = 0; number <= 10_000; number++) await store.put(`org/${nameOf(number)}`, empty)
})

const asked = (query: object, body: object = {}) =>
  only<Input<unknown, unknown, unknown>>({ params: { orgName: 'org' }, query, body })

async function listed(query: object): Promise<{ fileNames: string[]; next: string | null }> {
  const answer = await listFiles.handle(context, asked(query))
  return (answer as unknown as { response: { fileNames: string[]; next: string | null } }).response
}

async function found(query: object, body: object): Promise<{ fileNames: string[]; next: string | null }> {
  const answer = await findFiles.handle(context, asked(query, body))
  return (answer as unknown as { response: { fileNames: string[]; next: string | null } }).response
}

const behind = (name: string) => positionText({ of: 'file', name })

const tooMany = {
  status: 400,
  message:
    'limit: required where more than 10000 files match: that many are listed without it, up to 100000 with it; next in the answer is the after of the next page',
}

describe('without limit', () => {
  test('without a limit, 10,000 files are listed', async () => {
    for (const page of [await listed({ after: behind('f00000') }), await found({ after: behind('f00000') }, {})]) {
      expect([page.fileNames.length, page.fileNames[0], page.next]).toEqual([10_000, 'f00001', null])
    }
  })

  test('without a limit, more than 10,000 files are rejected, never truncated', async () => {
    await expect(listed({})).rejects.toMatchObject(tooMany)
    await expect(listed({ filter: ['f'] })).rejects.toMatchObject(tooMany)
    await expect(found({}, { fileNames: ['f0', 'f1'], usePrefixes: true })).rejects.toMatchObject(tooMany)
    expect((await listed({ filter: ['f1'] })).fileNames).toEqual(['f10000'])
  })

  test('without a limit, fewer files whose names are too long for one answer are rejected, by that rule', async () => {
    // Longer than S3 allows, as a store over a file system may have them.
    const long = openMemoryStore()
    for (let number = 0; number < 9_000; number++) await long.put(`org/${nameOf(number)}${'n'.repeat(2_000)}`, empty)
    const listBudget = createBudget(Number.POSITIVE_INFINITY, 'lists')
    const input = {
      ...asked({}),
      signal: new AbortController().signal,
      principal: only<Principal>({ identity: 'kim' }),
    }
    const reading = readingFor(
      only<ApiContext>({ ...storageOn(long), ...unread, listBudget, longReads: listBudget }),
      input,
    )
    await expect(listFiles.handle(reading, input)).rejects.toMatchObject({
      status: 400,
      code: 'invalidRequest',
      message:
        'limit: required where the names that match take more than 16 MiB; next in the answer is the after of the next page',
    })
  })
})

describe('next', () => {
  test('the field next is the cursor of the next page, and null on the last', async () => {
    const pages = [await listed({ limit: 4_000 })]
    while (pages.at(-1)?.next) pages.push(await listed({ limit: 4_000, after: pages.at(-1)?.next }))
    expect(pages.map(({ fileNames, next }) => [fileNames.length, next])).toEqual([
      [4_000, behind('f03999')],
      [4_000, behind('f07999')],
      [2_001, null],
    ])
    expect(pages.flatMap(({ fileNames }) => fileNames)).toEqual(Array.from({ length: 10_001 }, (_, at) => nameOf(at)))
  })

  test('the field next is null on a page that ends with the last file', async () => {
    const body = { fileNames: ['f0999'], usePrefixes: true }
    expect(await found({ limit: 9 }, body)).toMatchObject({ next: behind('f09998') })
    expect(await found({ limit: 10 }, body)).toMatchObject({ next: null })
    expect(await found({ limit: 100_000 }, {})).toMatchObject({ next: null })
  })
})

test.each(['f00000', '', 'null', behind('f').slice(1), Buffer.from('["file"]').toString('base64url')])(
  'a text that is not the next of a page is refused as after: %s',
  async (after) => {
    await expect(listed({ after })).rejects.toMatchObject({
      status: 400,
      message: 'after: must be the next of the page before',
    })
  },
)

import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import { returnParts } from '../../../api/unstored/return-packet.ts'
import type { Config, LimitSettings } from '../../../shared/config/config.ts'
import { serializeResponse } from '../../../shared/publish/response.ts'
import { only } from '../../support/values/only.ts'

test('parts that are returned keep their bytes when the writer uses its buffer for the next one', async () => {
  const config = only<Config>({ limits: only<LimitSettings>({ inlineBytes: 100 }) })
  const answer = await returnParts(only<ApiContext>({ config }), async (sink) => {
    const bytes = Buffer.alloc('{"of":1}'.length)
    for (const number of [1, 2, 3]) {
      bytes.write(`{"of":${number}}`)
      await sink({ number, bytes, pairs: 1, statements: {} })
    }
  })
  if (answer.kind !== 'publish') return expect.unreachable()
  const { chunks } = serializeResponse(answer.response)
  const { transactionRequests } = JSON.parse(await text(chunks as AsyncIterable<Uint8Array> as never))
  expect(transactionRequests).toEqual([{ of: 1 }, { of: 2 }, { of: 3 }])
})

import { expect, test } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import { readFile } from '../../../api/publish/read-file.ts'
import type { Config } from '../../../shared/config/config.ts'
import type { Packets } from '../../../shared/storage/packets.ts'
import type { ObjectStore } from '../../../shared/store/object-store.ts'
import { only } from '../../support/values/only.ts'

/** Reads a file of others whose object has this content by then; null: it is gone. */
function read(content: string | null) {
  const file = { fileName: 'f', key: 'acme/f', bytes: 2, isPart: false }
  const context = only<ApiContext>({
    config: only<Config>({ limits: only<Config['limits']>({ inlineBytes: 100 }) }),
    packets: only<Packets>({ require: async () => [file] }),
    store: only<ObjectStore>({ get: async () => (content === null ? null : Buffer.from(content)) }),
  })
  const input = { params: { orgName: 'acme', fileName: 'f' }, query: {} }
  return readFile.handle(context, only<Parameters<typeof readFile.handle>[1]>(input))
}

test('a file of others that vanishes before it is read is 404, and not a file of a wrong type', async () => {
  const message = 'fileName: "f" does not exist in "acme"'
  await expect(read(null)).rejects.toMatchObject({ status: 404, code: 'noSuchFile', message })
  await expect(read('{')).rejects.toMatchObject({ status: 422, code: 'notAPacket' })
  expect(await read('{}')).toMatchObject({ kind: 'publish' })
})

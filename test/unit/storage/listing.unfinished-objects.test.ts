import { expect, test } from 'vitest'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { commitPacket } from '../../support/storage/stored-packets.ts'

const unfinished = '-8e03978e-40d5-43dd-bc93-6894a57f9324'

/** The files of an org with the packets `f` and `g` and an object of others whose name is that of `f` and a UUID. */
async function filesOn(finalKey: (key: string) => string) {
  const storage = storageOn({ ...openMemoryStore(), finalKey })
  await commitPacket(storage, 'org/f', ['1'])
  await commitPacket(storage, 'org/g', ['1', '2'])
  for (const name of ['f', 'gPart1of2', 'h']) await storage.store.put(`org/${name}${unfinished}`, Buffer.from('3'))
  return storage.packets.list('org', [''])
}

test('a file whose name is that of a packet and a UUID is listed', async () => {
  expect(await filesOn((key) => key)).toEqual([
    'f',
    `f${unfinished}`,
    'gPart1of2',
    `gPart1of2${unfinished}`,
    'gPart2of2',
    `h${unfinished}`,
  ])
})

test('on a store that lists objects under other keys while they are written, those of a packet are not listed', async () => {
  const files = await filesOn((key) => key.replace(unfinished, ''))
  expect(files).toEqual(['f', 'gPart1of2', 'gPart2of2', `h${unfinished}`])
})

import { expect, test } from 'vitest'
import { createGenerations } from '../../../shared/storage/generations.ts'
import { plainFilesOf } from '../../../shared/storage/objects-of-a-name.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'

test.each([0, 998, 999, 1_000, 2_500])(
  'all files of a packet are found among %i other names that begin with its own',
  async (others) => {
    const store = openMemoryStore()
    // These names sort between the name of the packet and the names of its parts.
    const names = Array.from({ length: others }, (_, at) => `f-${at}`)
    const own = ['f', 'fPart1of2', 'fPart2of2']
    for (const name of [...own, ...names, 'fPart1', 'fParts']) await store.put(`org/${name}`, Buffer.from(name))
    expect((await plainFilesOf(store, createGenerations(store), 'org/f')).map(({ key }) => key)).toEqual(
      own.map((name) => `org/${name}`),
    )
  },
)

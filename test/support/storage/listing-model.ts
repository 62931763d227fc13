import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import { fileName, parsePartName, partNames } from '../../../packet/names.ts'
import { generationKey } from '../../../shared/storage/keys.ts'
import { markLatest } from '../../../shared/storage/listing/markers.ts'
import { type Manifest, removal, voided } from '../../../shared/storage/manifest.ts'
import { type Storage, storageOn } from '../../../shared/storage/storage.ts'
import { type Compare, type MemoryStore, openMemoryStore } from './memory-store.ts'

/** A generation: its number of parts, `removed` or `void`. */
export type Said = number | 'removed' | 'void'

export interface ModelPacket {
  file: string
  history: Said[]
  isMarked: boolean
  /** Whether its plain files exist. */
  isCopied: boolean
}

export interface ModelOrg {
  packets: ModelPacket[]
  /** Files that others stored in the org. */
  foreign: string[]
}

// Characters that sort around the slash that ends a name in keys, and around the `P` of part names.
const pieces = ['f', 'f', ' ', '!', '-', '.', '/', '0', 'A', 'P', 'Part', 'Part1', 'Part1of2', 'of', 'é', '😀', 'ｱ']
/** Without an empty segment: no prefix finds such a name, as some stores resolve `//` in a prefix. */
const someName = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 })
  .map((each) => each.join(''))
  .filter((name) => fileName.safeParse(name).success || parsePartName(name) !== null)
  .filter((name) => !/(^|\/)(\.|\/|$)/.test(name))
const said = fc.constantFrom<Said>(0, 1, 1, 2, 12, 'removed', 'void').map((each) => (each === 0 ? 'removed' : each))

const packet: fc.Arbitrary<ModelPacket> = fc.record({
  file: someName.filter((name) => fileName.safeParse(name).success),
  history: fc.array(said, { minLength: 1, maxLength: 4 }),
  isMarked: fc.boolean(),
  isCopied: fc.boolean(),
})

export const modelOrgs: fc.Arbitrary<ModelOrg> = fc.record({
  packets: fc.uniqueArray(packet, { maxLength: 12, selector: ({ file }) => file }),
  foreign: fc.uniqueArray(someName, { maxLength: 8 }),
})

/** A text for search, prefix or cursor: a name, a fragment of one, or arbitrary text. */
export const someText = fc.oneof(
  someName,
  fc.array(fc.constantFrom(...pieces, '1', '2', 'P', 'a'), { maxLength: 4 }).map((each) => each.join('')),
  fc.string({ unit: 'binary', maxLength: 3 }),
)

const stateOf = ({ history }: ModelPacket): Said => history.findLast((each) => each !== 'void') ?? 'removed'
const contentOf = (file: string, generation: number, part: number) => `${file} ${generation} ${part}`

function manifestOf(file: string, said: Said, generation: number): Manifest {
  if (said === 'removed') return removal()
  if (said === 'void') return voided(randomUUID())
  const parts = Array.from({ length: said }, (_, index) => {
    const content = contentOf(file, generation, index + 1)
    return {
      key: `parts of ${file}`,
      bytes: Buffer.byteLength(content),
      pairs: 1,
      etag: createHash('md5').update(content).digest('hex'),
    }
  })
  return { ...removal(), removed: undefined, parts } as unknown as Manifest
}

/** Stores a packet as the service does. */
export async function storePacket({ store, generations }: Storage, org: string, packet: ModelPacket): Promise<void> {
  const { file, history, isMarked, isCopied } = packet
  const name = `${org}/${file}`
  for (const [index, each] of history.entries()) {
    const generation = index + 1
    const over = history.slice(0, index).findLastIndex((below) => below !== 'void') + 1
    const manifest = manifestOf(file, each, generation)
    const said = each === 'void' ? { ...manifest, over } : manifest
    await store.put(generationKey(name, generation), Buffer.from(JSON.stringify(said)))
    if (isMarked) await markLatest(store, generations, name)
    if (!isCopied || typeof each !== 'number') continue
    for (const [at, copy] of partNames(name, each).entries()) {
      await store.put(copy, Buffer.from(contentOf(file, generation, at + 1)))
    }
  }
}

export async function storeOrg(
  org: string,
  model: ModelOrg,
  compareKeys?: Compare,
): Promise<Storage & { store: MemoryStore }> {
  const store = openMemoryStore(compareKeys)
  const storage = storageOn(store)
  for (const file of model.foreign) await store.put(`${org}/${file}`, Buffer.from(`of others: ${file}`))
  for (const each of model.packets) await storePacket(storage, org, each)
  for (const hidden of ['.org', '.parts/f/.job/run/1', 'f/.dir/f', '-/.hidden', '!/.org']) {
    await store.put(`${org}/${hidden}`, Buffer.from('{}'))
  }
  return { ...storageOn(store), store }
}

/** The expected full listing of the org, computed by brute force. */
export function namesOf({ packets, foreign }: ModelOrg): string[] {
  const names = new Set<string>()
  const ours = new Set(packets.filter(({ history }) => history.some((each) => each !== 'void')).map(({ file }) => file))
  for (const each of packets) {
    const state = stateOf(each)
    if (typeof state === 'number') for (const part of partNames(each.file, state)) names.add(part)
  }
  for (const file of foreign) {
    const owners = [file, parsePartName(file)?.base ?? file]
    if (!owners.some((owner) => ours.has(owner))) names.add(file)
  }
  return [...names].sort(byCodePoint)
}

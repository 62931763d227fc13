import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { partNames } from '../../packet/names.ts'
import type { Packets, StoredFile } from '../../shared/storage/packets.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { stagePacket } from '../support/storage/stored-packets.ts'

const { store, generations, reopen } = await openTestStorage()

const someOrg = () => `org-${randomUUID()}`

/** Publishes `org/f` as a worker does, with only the first `copied` plain files; parts have distinct contents. */
async function publish(org: string, label: string, count: number, copied = count): Promise<void> {
  const name = `${org}/f`
  const manifest = await stagePacket({ store }, name, partsOf(label, count))
  await generations.commit(name, manifest, { force: true, taken: () => new Error('taken') })
  if (copied === count) return refreshPlainFiles(store, generations, name)
  for (const [index, file] of partNames(name, count).slice(0, copied).entries()) {
    await store.copy(manifest.parts[index]?.key ?? '', file)
  }
}

const partsOf = (label: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${label}: ${index + 1} of ${count}`)

const contentsOf = (packets: Packets, files: readonly StoredFile[]) =>
  Promise.all(files.map(async (file) => text(await packets.open(file))))

// The tests' S3 server keeps objects as files, and lists one being written as `<name>-<uuid>`.
const isBeingWritten = (file: string) => /-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(file)
const list = async (packets: Packets, org: string, prefix: string) =>
  (await packets.list(org, [prefix])).filter((file) => !isBeingWritten(file))

describe('while a name is overwritten twenty times with packets of different sizes', () => {
  const countOf = (round: number) => 1 + ((round * 3) % 5)

  /** Four concurrent writers of five packets each. */
  async function overwrite(org: string): Promise<void> {
    const writers = [0, 1, 2, 3].map(async (writer) => {
      for (let round = writer; round < 20; round += 4) await publish(org, `round ${round}`, countOf(round))
    })
    await Promise.all(writers)
  }

  /** Repeats `ask`, as another process would, until the writers are done. @returns the distinct answers. */
  async function answersDuring(work: Promise<void>, ask: (packets: Packets) => Promise<string[]>): Promise<string[][]> {
    const answers = new Map<string, string[]>()
    let isDone = false
    const done = () => {
      isDone = true
    }
    work.then(done, done)
    const { packets } = reopen()
    while (!isDone) {
      const answer = await ask(packets)
      answers.set(answer.join(), answer)
    }
    await work
    return [...answers.values()]
  }

  test('while a name is overwritten, every listing has exactly the parts of one of its packets', async () => {
    const org = someOrg()
    await publish(org, 'round -1', 2)
    const listings = await answersDuring(overwrite(org), (packets) => list(packets, org, ''))
    expect(listings).toEqual(listings.map(({ length }) => partNames('f', length)))
    expect(listings).not.toContainEqual([])
    expect(listings.length).toBeGreaterThan(1)
  })

  test('while a name is overwritten, every listing by a prefix of the suffix has all parts of one packet', async () => {
    const org = someOrg()
    await publish(org, 'round -1', 2)
    const listings = await answersDuring(overwrite(org), (packets) => list(packets, org, 'fPa'))
    const whole = listings.map(({ length }) => (length === 0 ? [] : partNames('f', length)))
    expect(listings).toEqual(whole)
    expect(listings.length).toBeGreaterThan(1)
  })

  test('while a name is overwritten, every read has all parts of one of its packets', async () => {
    const org = someOrg()
    await publish(org, 'round -1', 2)
    const readings = await answersDuring(overwrite(org), async (packets) =>
      contentsOf(packets, await packets.require(org, 'f')),
    )
    expect(readings).toEqual(readings.map((parts) => partsOf(parts[0]?.split(':')[0] ?? '', parts.length)))
    expect(readings.length).toBeGreaterThan(1)
  })

  test('while a name is overwritten, every read of a part returns that part of one packet, or nothing', async () => {
    const org = someOrg()
    await publish(org, 'round -1', 2)
    const readings = await answersDuring(overwrite(org), async (packets) => {
      const found = await packets.require(org, 'fPart1of2').catch(({ code }) => code as string)
      return typeof found === 'string' ? [found] : contentsOf(packets, found)
    })
    const expected = expect.stringMatching(/^(round -?\d+: 1 of 2|noSuchFile)$/)
    expect(readings).toEqual(readings.map(() => [expected]))
    expect(readings.length).toBeGreaterThan(1)
  })

  test('while a name is overwritten, every signed URL returns the part for which it was signed', async () => {
    const org = someOrg()
    await publish(org, 'round -1', 2)
    const signed = await answersDuring(overwrite(org), async (packets) => {
      const files = await packets.require(org, 'f')
      return [...(await contentsOf(packets, files)), ...(await packets.sign(files, 60))]
    })
    const downloaded = await Promise.all(
      signed.map((answer) =>
        Promise.all(answer.slice(answer.length / 2).map(async (url) => (await fetch(url)).text())),
      ),
    )
    expect(downloaded).toEqual(signed.map((answer) => answer.slice(0, answer.length / 2)))
    expect(signed.length).toBeGreaterThan(1)
  })
})

describe('while a name is published for the first time', () => {
  /** The packets a reader sees when `happens` runs right after the first listing of the generations. */
  function packetsOvertaken(happens: () => Promise<void>): Packets {
    let hasHappened = false
    async function* list(...[prefix, options]: Parameters<ObjectStore['list']>): ReturnType<ObjectStore['list']> {
      yield* store.list(prefix, options)
      if (hasHappened || !prefix.includes('/.generations/')) return
      hasHappened = true
      await happens()
    }
    return storageOn({ ...store, list }).packets
  }

  test('while a name is first published, a file of others that the packet replaces is never missing', async () => {
    const org = someOrg()
    await store.put(`${org}/f`, Buffer.from('others'))
    const packets = packetsOvertaken(() => publish(org, 'first', 1))
    expect(await contentsOf(packets, await packets.require(org, 'f'))).toEqual(['first: 1 of 1'])
  })

  test('while a name is first published, a listing has all of its parts or none, even if few are copied', async () => {
    const org = someOrg()
    const packets = packetsOvertaken(() => publish(org, 'first', 3, 1))
    expect([[], partNames('f', 3)]).toContainEqual(await packets.list(org, ['']))
  })

  test('while a name is first published, a read returns the immutable objects of the packet, or nothing', async () => {
    const org = someOrg()
    const packets = packetsOvertaken(() => publish(org, 'first', 1))
    const found = await packets.require(org, 'f').catch(({ code }) => code)
    const after = await storageOn(store).packets.require(org, 'f')
    expect(['noSuchFile', after]).toContainEqual(found)
  })
})

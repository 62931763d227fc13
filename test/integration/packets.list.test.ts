import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { partNames } from '../../packet/names.ts'
import { packetName, requestKey } from '../../shared/storage/keys.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { commitPacket } from '../support/storage/stored-packets.ts'

const { store, generations, packets } = await openTestStorage()

const someOrg = () => `org-${randomUUID()}`
const put = (key: string) => store.put(key, Buffer.from(key))
const all = (org: string) => packets.list(org, [''])

/** Publishes a packet as a worker does. */
async function publish(org: string, file: string, count = 1): Promise<void> {
  const name = packetName(org, file)
  await commitPacket({ store, generations }, name, Array.from({ length: count }, String))
  await refreshPlainFiles(store, generations, name)
}

describe('a listing', () => {
  test('a listing of an org without files is empty', async () => {
    const org = someOrg()
    await packets.createOrg(org)
    expect([await all(org), await all(someOrg())]).toEqual([[], []])
  })

  test('a listing has every part of every packet and every foreign file, once', async () => {
    const org = someOrg()
    await publish(org, 'one')
    await publish(org, 'three', 3)
    await publish(org, 'deep/down/two', 2)
    await Promise.all(
      ['foreign', 'foreignPart1of2', 'deep/foreign.json', 'three.json'].map((file) => put(`${org}/${file}`)),
    )
    expect(await all(org)).toEqual([
      ...['deep/down/twoPart1of2', 'deep/down/twoPart2of2', 'deep/foreign.json', 'foreign', 'foreignPart1of2', 'one'],
      ...['three.json', 'threePart1of3', 'threePart2of3', 'threePart3of3'],
    ])
  })

  test('a listing finds prefixes that differ within one character', async () => {
    const org = someOrg()
    // Both are two UTF-16 units, of which the first is the same.
    for (const file of ['😀', '😁']) await publish(org, file)
    expect(await packets.list(org, ['😀', '😁'])).toEqual(['😀', '😁'])
  })

  test('a listing has the newest packet of a name, and nothing of those it replaced', async () => {
    const org = someOrg()
    for (const count of [1, 4, 2, 3]) {
      await publish(org, 'f', count)
      expect(await all(org)).toEqual(partNames('f', count))
    }
  })

  test('a listing does not show plain files that do not match their packet', async () => {
    const org = someOrg()
    await publish(org, 'f', 2)
    await Promise.all(['f', 'fPart1of3', 'fPart7of9'].map((file) => put(`${org}/${file}`)))
    await store.remove(`${org}/fPart1of2`)
    expect(await all(org)).toEqual(['fPart1of2', 'fPart2of2'])
    expect(await packets.list(org, ['fPart1'])).toEqual(['fPart1of2'])
    expect(await packets.list(org, ['fPart1of3', 'fPart7', 'fPart1of23'])).toEqual([])
  })

  test('a listing is sorted by code point', async () => {
    const org = someOrg()
    const names = ['10', '9', 'Z', 'a b', 'a+b', 'a/b', 'aPart1of2', 'aPart2of2', 'ab', 'z', 'ä', 'Ａ', '😀']
    await publish(org, 'a', 2)
    for (const file of names.toReversed()) await put(`${org}/${file}`)
    expect(await all(org)).toEqual(names)
  })

  test('a listing never shows hidden objects', async () => {
    const org = someOrg()
    await packets.createOrg(org)
    await packets.createOrg(`${org}/sub`)
    const hidden = ['.dot', '.dir/f', 'sub/.dot', 'sub/.dir/f', 'sub/dir/.dot', '.parts/f/.job/1/00000-00001']
    const ours = [requestKey(org, 'job'), `${org}/.generations/f/.tmp`]
    await Promise.all([...ours, ...hidden.map((key) => `${org}/${key}`)].map(put))
    await publish(org, 'sub/f')
    expect([await all(org), await all(`${org}/sub`)]).toEqual([['sub/f'], ['f']])
    expect(await packets.list(org, ['.', '.dot', '.generations', 'sub/.', 'sub/.dot', 'sub/dir/'])).toEqual([])
    expect(await packets.list(`${org}/sub`, ['.', '.dot', 'dir/'])).toEqual([])
  })

  test('a listing is complete beyond 1,000 files', async () => {
    const org = someOrg()
    const foreign = Array.from({ length: 1_050 }, (_, index) => `x ${index}`)
    for (let done = 0; done < foreign.length; done += 50) {
      await Promise.all(foreign.slice(done, done + 50).map((file) => put(`${org}/${file}`)))
    }
    const published = Array.from({ length: 40 }, (_, index) => `p${index}`)
    await Promise.all(published.map((file) => publish(org, file, 2)))
    const expected = [...foreign, ...published.flatMap((file) => partNames(file, 2))].sort()
    expect(await all(org)).toEqual(expected)
  })
})

describe('a listing by prefix', () => {
  test('a listing by prefix has the names that start with it', async () => {
    const org = someOrg()
    await publish(org, 'f')
    await publish(org, 'fa', 2)
    await publish(org, 'fa.json')
    await publish(org, 'g/fa')
    await put(`${org}/fab`)
    await put(`${org}/Fa`)
    expect(await packets.list(org, ['f'])).toEqual(['f', 'fa.json', 'faPart1of2', 'faPart2of2', 'fab'])
    expect(await packets.list(org, ['fa'])).toEqual(['fa.json', 'faPart1of2', 'faPart2of2', 'fab'])
    expect(await packets.list(org, ['fab'])).toEqual(['fab'])
    expect(await packets.list(org, ['g/'])).toEqual(['g/fa'])
    expect(await packets.list(org, ['a', 'fabc', 'g/fab'])).toEqual([])
  })

  test.each([
    ['an empty segment', '/f'],
    ['the directory above', '../'],
    ['the directory itself', './f'],
    ['a control character', '\u0001'],
    ['a null', '\0'],
    ['a null behind a name', 'f\0'],
    ['half a character', '\ud83d'],
    ['more bytes than a name can have', 'f'.repeat(2_000)],
  ])('a listing by prefix finds nothing for a prefix that no name can have: %s', async (_what, prefix) => {
    const org = someOrg()
    await publish(org, 'f')
    await put(`${org}/foreign`)
    expect(await packets.list(org, [prefix])).toEqual([])
  })

  test('a listing by prefix has the names that start with any of several, once', async () => {
    const org = someOrg()
    await publish(org, 'f', 2)
    await publish(org, 'g')
    await publish(org, 'h')
    expect(await packets.list(org, ['h', 'f', 'fPart2', 'none'])).toEqual(['fPart1of2', 'fPart2of2', 'h'])
  })

  const partsOfF = ['fPart1of12', 'fPart10of12', 'fPart11of12', 'fPart12of12', ...partNames('f', 12).slice(1, 9)]
  test.each([
    ['fP', ['fP', 'fPaPart1of2', 'fPaPart2of2', 'fPart1', ...partsOfF]],
    ['fPa', ['fPaPart1of2', 'fPaPart2of2', 'fPart1', ...partsOfF]],
    ['fPart', ['fPart1', ...partsOfF]],
    ['fPart1', ['fPart1', ...partsOfF.slice(0, 4)]],
    ['fPart1o', ['fPart1of12']],
    ['fPart12', ['fPart12of12']],
    ['fPart2of', ['fPart2of12']],
    ['fPart2of1', ['fPart2of12']],
    ['fPart2of12', ['fPart2of12']],
    ['fPart2of123', []],
    ['fPart2of2', []],
    ['fPart02', []],
    ['fPart13', []],
    ['fp', []],
    ['fPaP', ['fPaPart1of2', 'fPaPart2of2']],
    ['fPaPart2of2', ['fPaPart2of2']],
  ])('a listing by prefix may reach into the part suffix: %s', async (prefix, expected) => {
    const org = someOrg()
    await publish(org, 'f', 12)
    await publish(org, 'fP')
    await publish(org, 'fPa', 2)
    await publish(org, 'fPart1')
    expect(await packets.list(org, [prefix])).toEqual(expected.toSorted())
    await publish(org, 'dir/f', 12)
    const below = expected.filter((file) => partNames('f', 12).includes(file)).toSorted()
    expect(await packets.list(`${org}/dir`, [prefix])).toEqual(below)
    expect(await packets.list(org, [`dir/${prefix}`])).toEqual(below.map((file) => `dir/${file}`))
  })
})

describe('orgs', () => {
  test('orgs list their sub-orgs under their own names, and sub-orgs list only themselves', async () => {
    const org = someOrg()
    await publish(org, 'f')
    await publish(`${org}/b`, 'f', 2)
    await publish(`${org}/b/c`, 'f')
    await put(`${org}/b/foreign`)
    expect(await all(org)).toEqual(['b/c/f', 'b/fPart1of2', 'b/fPart2of2', 'b/foreign', 'f'])
    expect(await all(`${org}/b`)).toEqual(['c/f', 'fPart1of2', 'fPart2of2', 'foreign'])
    expect(await all(`${org}/b/c`)).toEqual(['f'])
  })

  test('orgs share nothing if the name of one begins with the name of the other', async () => {
    const org = someOrg()
    const orgs = [org, `${org}1`, `${org}-b`, `${org}.c`, `${org}/x`, `${org}/xy`]
    for (const each of orgs) await publish(each, `f of ${orgs.indexOf(each)}`)
    await put(`${org}1/foreign`)
    expect(await all(org)).toEqual(['f of 0', 'x/f of 4', 'xy/f of 5'])
    expect(await all(`${org}1`)).toEqual(['f of 1', 'foreign'])
    expect(await all(`${org}/x`)).toEqual(['f of 4'])
  })
})

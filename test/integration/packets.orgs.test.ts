import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { orgKey, packetName } from '../../shared/storage/keys.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import { openTestStorage } from '../support/storage/storage.ts'

const { store, generations, packets } = await openTestStorage()

const someOrg = () => `org-${randomUUID()}`
const put = (key: string) => store.put(key, Buffer.from(key))
const taken = () => new Error('taken')

/** Commits a packet without its plain files, as with `PLAIN_FILES=off`. */
const commit = (org: string, file: string) => {
  const manifest = { jobId: randomUUID(), attempt: 1, createdAt: new Date().toISOString(), parts: [] }
  return generations.commit(packetName(org, file), manifest, { force: false, taken })
}

const existing = async (orgs: readonly string[]) => {
  const exist = await Promise.all(orgs.map(packets.orgExists))
  return orgs.filter((_, index) => exist[index])
}

describe('an org', () => {
  test('an org exists once it was created, and creating it again changes nothing', async () => {
    const org = someOrg()
    expect(await existing([org])).toEqual([])
    await packets.createOrg(org)
    await commit(org, 'f')
    await packets.createOrg(org)
    expect(await existing([org])).toEqual([org])
    expect(await generations.list(`${org}/f`)).toEqual([1])
    await expect(packets.requireOrg(org)).resolves.toBeUndefined()
  })

  test('an org that does not exist is refused', async () => {
    const org = someOrg()
    await expect(packets.requireOrg(org)).rejects.toMatchObject({ status: 404, code: 'noSuchOrg' })
  })

  test('an org that exists is cached for ten seconds; one that does not is looked up each time', async () => {
    const org = someOrg()
    const asked: string[] = []
    const counting = storageOn({
      ...store,
      hasAny(prefix) {
        asked.push(prefix)
        return store.hasAny(prefix)
      },
    })
    const start = performance.now()
    const clock = vi.spyOn(performance, 'now')
    onTestFinished(() => clock.mockRestore())
    const askedAfter = async (ms: number) => {
      asked.length = 0
      clock.mockReturnValue(start + ms)
      await delay(5) // the cache reads the clock at most once per millisecond
      for (let publish = 0; publish < 3; publish++) await counting.packets.requireOrg(org)
      return asked.length
    }
    await expect(counting.packets.requireOrg(org)).rejects.toMatchObject({ code: 'noSuchOrg' })
    await packets.createOrg(org)
    expect(await askedAfter(0)).toBe(1)
    expect(await askedAfter(9_000)).toBe(0)
    expect(await askedAfter(10_500)).toBe(1)
    await store.remove(orgKey(org))
    expect(await askedAfter(19_000)).toBe(0)
    await expect(askedAfter(21_500)).rejects.toMatchObject({ code: 'noSuchOrg' })
  })

  test('an org exists when its sub-org was created, but not vice versa', async () => {
    const [above, below] = [someOrg(), someOrg()]
    await packets.createOrg(`${above}/sub`)
    await packets.createOrg(below)
    expect(await existing([above, `${above}/sub`, below, `${below}/sub`])).toEqual([above, `${above}/sub`, below])
  })

  test('an org exists when it contains only a packet or a foreign file', async () => {
    const [published, foreign] = [someOrg(), someOrg()]
    await commit(published, 'deep/down/f')
    await put(`${foreign}/deep/f`)
    const wanted = [published, `${published}/deep`, `${published}/deep/down`, foreign, `${foreign}/deep`]
    const unwanted = [`${published}/down`, `${foreign}/deep/f`, `${foreign}/f`]
    expect(await existing([...wanted, ...unwanted])).toEqual(wanted)
  })

  test('an org does not exist because a packet has its name', async () => {
    const org = someOrg()
    await commit(org, 'b/f')
    expect(await existing([`${org}/b`, `${org}/b/f`])).toEqual([`${org}/b`])
  })

  test('an org does not exist because the name of another org starts with its own', async () => {
    const org = someOrg()
    for (const other of [`${org}1`, `${org}-b`, `${org}.c`]) await commit(other, 'f')
    await packets.createOrg(`${org}2`)
    await put(`${org}3/f`)
    await commit(`${org}1/sub1`, 'f')
    expect(await existing([org, `${org}1/sub`, org.slice(0, -1)])).toEqual([])
  })
})

describe('a name', () => {
  const namesTaken = async (org: string, files: readonly string[]) => {
    const held = await Promise.all(files.map((file) => packets.standingOf(org, file)))
    return files.filter((_, index) => held[index]?.isTaken)
  }

  test('a name is free in an org without files of that name', async () => {
    expect(await namesTaken(someOrg(), ['f', 'f/g'])).toEqual([])
  })

  test('a name is taken by a packet, for the org and its sub-org alike', async () => {
    const org = someOrg()
    await commit(org, 'b/f')
    expect(await namesTaken(org, ['b/f', 'b', 'b/f/g', 'b/ff', 'f', 'b/fPart'])).toEqual(['b/f'])
    expect(await namesTaken(`${org}/b`, ['f', 'b/f', 'ff'])).toEqual(['f'])
  })

  test.each(['', 'Part1of1', 'Part2of3', 'Part10of12'])(
    'a name is taken by a foreign file that ends in "%s"',
    async (end) => {
      const org = someOrg()
      await put(`${org}/b/f${end}`)
      expect(await namesTaken(org, ['b/f', 'b', 'b/f/g', 'b/ff', 'f', 'b/fPart'])).toEqual(['b/f'])
      expect(await namesTaken(`${org}/b`, ['f', 'b/f', 'ff'])).toEqual(['f'])
    },
  )

  test('a name is not taken by names that only start with it', async () => {
    const org = someOrg()
    const others = ['f2', 'f.json', 'fPart', 'fPart0of2', 'fPart01of2', 'fPart1of2.json', 'fpart1of2', 'fPart1of']
    await Promise.all(others.map((file) => put(`${org}/${file}`)))
    for (const file of ['f3', 'f4/g', 'fPart1']) await commit(org, file)
    expect(await namesTaken(org, ['f', 'f4', 'fP', ...others, 'f3', 'f4/g', 'fPart1'])).toEqual([
      ...others,
      ...['f3', 'f4/g', 'fPart1'],
    ])
  })

  test('a name stays taken when the plain file is removed', async () => {
    const org = someOrg()
    await commit(org, 'f')
    await expect(commit(org, 'f')).rejects.toThrow(taken())
    await store.remove(`${org}/f`)
    expect(await namesTaken(org, ['f'])).toEqual(['f'])
  })
})

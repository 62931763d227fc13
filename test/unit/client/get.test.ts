import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyDirectory, runCli, spawnCli } from '../../support/clients/cli.ts'
import { allNames, contents, digests, manifest, nameOf, startPacketService } from '../../support/clients/fake-packet.ts'

test('get writes the parts, and the manifest without links', async () => {
  const { get, files, directory, requests } = await startPacketService()
  expect(await get()).toEqual({ code: 0, stdout: `${directory}: 0 pairs, 5 parts, 0 bytes\n`, stderr: '' })
  expect(files()).toEqual(allNames)
  for (const [index, bytes] of contents.entries()) expect(readFileSync(join(directory, nameOf(index)))).toEqual(bytes)
  const written = readFileSync(join(directory, 'manifest.json'), 'utf8')
  expect(JSON.parse(written)).toMatchObject({
    generation: 3,
    parts: contents.map((_, index) => ({ fileName: nameOf(index) })),
  })
  expect(written).not.toContain('secret')
  expect(requests[0]?.url).toBe('/1.0/publish/acme/people.json/manifest?lifetime=86400')
})

test('get keeps what a manifest says of a chain of deltas, without the links to the keys of its state', async () => {
  const base = { packet: 'acme/before.json', generation: 2, state: 'b'.repeat(64) }
  const piece = { bytes: 9, sha256: 'c'.repeat(64) }
  const state = { sha256: 'a'.repeat(64), pairs: 3, nodes: 2, relationships: 1 }
  const keys = [{ ...piece, url: 'http://127.0.0.1/keys?signature=secret' }]
  const { get, directory } = await startPacketService(undefined, { base, state: { ...state, keys } })
  expect(await get()).toMatchObject({ code: 0 })
  const written = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))
  expect(written).toMatchObject({ base, state: { ...state, keys: [piece] } })
  expect(JSON.stringify(written)).not.toContain('secret')
  const { stdout } = await runCli(['inspect', directory])
  expect(stdout).toContain('base: acme/before.json, generation 2, the packet that a target must have\n')
  expect(stdout).toContain(`state: ${state.sha256}, of 3 pairs, 2 nodes and 1 relationship\n`)
})

test('the token goes to the service only, not to the links', async () => {
  const { get, requests } = await startPacketService()
  await get()
  const tokens = requests.map(({ url, headers }) => [url.startsWith('/part'), headers.authorization])
  expect(tokens).toEqual([[false, 'Bearer the-token'], ...contents.map(() => [true, undefined])])
})

test('a second get downloads only missing or damaged parts, and removes files that are no longer parts', async () => {
  const { get, directory, partsAsked, requests, files } = await startPacketService()
  await get()
  requests.length = 0
  expect((await get()).stdout).toContain('(5 parts had been there)')
  expect(partsAsked()).toEqual([])
  const damaged = Buffer.from(contents[1] as Buffer)
  damaged[3] = (damaged[3] as number) ^ 1
  writeFileSync(join(directory, nameOf(1)), damaged)
  writeFileSync(join(directory, nameOf(4)), '')
  const earlier = {
    ...manifest(''),
    sha256: hash('sha256', digests[0] as string),
    parts: [{ ...manifest('').parts[0], fileName: 'people.json', url: undefined }],
  }
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(earlier))
  writeFileSync(join(directory, 'people.json'), 'of the generation before')
  expect((await get()).stdout).toContain('(3 parts had been there)')
  expect(partsAsked()).toEqual([1, 4])
  expect(files()).toEqual(allNames)
})

test('get fails if another command has written another packet to its directory meanwhile', async () => {
  const { get, directory } = await startPacketService((index) => {
    const file = join(directory, 'manifest.json')
    if (index === 4) writeFileSync(file, readFileSync(file, 'utf8').replace('people.json', 'others.json'))
    return undefined
  })
  expect(await get()).toMatchObject({ code: 5, stderr: expect.stringContaining('another command wrote to') })
})

test('get does not replace a file that it did not write, and takes a part that is there', async () => {
  const { get, directory, partsAsked } = await startPacketService()
  mkdirSync(directory)
  writeFileSync(join(directory, nameOf(0)), contents[0] as Buffer)
  writeFileSync(join(directory, nameOf(2)), 'mine')
  expect(await get()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${join(directory, nameOf(2))} is no part of acme/people.json; name another`),
  })
  expect(readFileSync(join(directory, nameOf(2)), 'utf8')).toBe('mine')
  rmSync(join(directory, nameOf(2)))
  expect(await get()).toMatchObject({ code: 0 })
  expect(partsAsked()).not.toContain(0)
})

describe('a part is not written if', () => {
  test('a part is not written if a bit of it is flipped: exit code 5 with both digests', async () => {
    const damaged = Buffer.from(contents[1] as Buffer)
    damaged[3] = (damaged[3] as number) ^ 1
    const { get, files } = await startPacketService((index) =>
      index === 1 ? { status: 200, body: damaged } : undefined,
    )
    const { code, stderr } = await get()
    const digest = hash('sha256', damaged)
    const reason = `sha256 is ${digest}, the manifest says ${digests[1]}; download it again`
    expect({ code, stderr }).toEqual({ code: 5, stderr: `error: part 2 of 5 (${nameOf(1)}): ${reason}\n` })
    expect(files()).not.toContain(nameOf(1))
  })

  test('a part is not written if it is cut: exit code 5 with both lengths', async () => {
    const { get } = await startPacketService((index) =>
      index === 2 ? { status: 200, body: Buffer.from('{') } : undefined,
    )
    const { code, stderr } = await get()
    const length = contents[2]?.length
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`it has 1 bytes, the manifest says ${length}`),
    })
  })

  test('a part is not written if the store lacks it: exit code 7, without the signature of the link', async () => {
    const { get, url } = await startPacketService((index) => (index === 2 ? { status: 404, body: {} } : undefined))
    expect(await get()).toEqual({ code: 7, stdout: '', stderr: `error: ${url}/part/2 answered 404 Not Found\n` })
  })
})

test('nothing more is downloaded when a part has failed', async () => {
  const stuck = Promise.withResolvers<void>()
  const { get, partsAsked } = await startPacketService(async (index) => {
    // Wait until the other requests have arrived: the failure also ends requests that are not sent yet.
    while (index === 0 && partsAsked().length < 4) await new Promise((resolve) => setTimeout(resolve, 5))
    if (index === 0) return { status: 404, body: {} }
    await stuck.promise
    return { status: 200, body: contents[index] }
  })
  expect(await get()).toMatchObject({ code: 7 })
  stuck.resolve()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(partsAsked()).toEqual([0, 1, 2, 3])
})

test('an interrupted get is exit code 130, and the next one continues with the rest', async () => {
  const stuck = Promise.withResolvers<void>()
  let isStuck = true
  const { directory, variables, get, partsAsked, requests, files } = await startPacketService(async (index) => {
    if (index === 3 && isStuck) await stuck.promise
    return { status: 200, body: contents[index] }
  })
  const isDone = () => [0, 1, 2, 4].every((index) => existsSync(join(directory, nameOf(index))))
  const { code, stdout, stderr } = await spawnCli(['get', 'acme/people.json', '-o', directory], variables, {
    async during(child) {
      await once(child, 'spawn')
      while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 20))
      child.kill('SIGINT')
    },
  })
  expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: '', stderr: 'interrupted\n' })
  expect(files()).toEqual(allNames.filter((name) => name !== nameOf(3)))
  isStuck = false
  stuck.resolve()
  requests.length = 0
  expect(await get()).toMatchObject({ code: 0 })
  expect(partsAsked()).toEqual([3])
})

test('a directory that holds another packet is left alone', async () => {
  const { get, directory, variables, files } = await startPacketService()
  await get()
  const other = await startPacketService(undefined, { packet: 'acme/other.json' })
  const { code, stderr } = await runCli(['get', 'acme/other.json', '-o', directory], {
    ...variables,
    PACKETS_URL: other.url,
  })
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('holds acme/people.json; name another directory'),
  })
  expect(files()).toEqual(allNames)
})

test('get of a source that is not a packet of the service is refused', async () => {
  const { code, stderr } = await runCli(['get', emptyDirectory()])
  expect({ code, stderr }).toMatchObject({ code: 2 })
  expect((await runCli(['get', '-'])).stderr).toContain('error: get downloads packets of the service, and - is none')
})

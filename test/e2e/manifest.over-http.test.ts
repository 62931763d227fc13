import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import { prepare } from '../support/clients/e2e.ts'
import { sendRaw } from '../support/clients/raw-http.ts'
import { manifestPath, sha256Of } from '../support/storage/manifest-of.ts'
import { openTestStorage } from '../support/storage/storage.ts'

const { apiUrl, tokens, env } = inject('service')
const { client, org, ids, fields } = await prepare(30)
const { store } = await openTestStorage(env)

async function publish(fileName: string, query = '', originIds = ids): Promise<void> {
  const body = [{ ...fields, originIds, orgName: org, fileName }]
  expect((await client.post(`/1.0/publish/multi${query}`, body)).status).toBe(200)
}

const ask = (path: string, ifNoneMatch?: string) =>
  client.call<PacketManifest>('GET', path, undefined, ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch })

test('the ETag is the digest of the packet; a client that names it gets 304 and no body', async () => {
  await publish('tagged', '?batchsize=20')
  const { status, headers, body } = await ask(manifestPath(org, 'tagged'))
  expect([status, headers.get('ETag')]).toEqual([200, `W/"${body.sha256}"`])
  expect(body.parts.every((part) => !('url' in part))).toBe(true)
  for (const tag of [`W/"${body.sha256}"`, `"${body.sha256}"`, `"other", W/"${body.sha256}"`, '*']) {
    const again = await ask(manifestPath(org, 'tagged'), tag)
    expect([tag, again.status, again.text, again.headers.get('ETag')]).toEqual([tag, 304, '', headers.get('ETag')])
  }
  for (const tag of ['"other"', body.sha256 as string, `"${body.sha256}x"`, '']) {
    expect([tag, (await ask(manifestPath(org, 'tagged'), tag)).status]).toEqual([tag, 200])
  }
  const authorization = `Bearer ${tokens.reader}`
  const head = await fetch(apiUrl + manifestPath(org, 'tagged'), { method: 'HEAD', headers: { authorization } })
  expect([head.status, await head.text(), head.headers.get('ETag')]).toEqual([200, '', headers.get('ETag')])
})

test('the tag stays when the same bytes are published again, and changes with them', async () => {
  const tagOf = async () => (await ask(manifestPath(org, 'again'))).headers.get('ETag') as string
  await publish('again')
  const tag = await tagOf()
  await publish('again', '?forceOverwrite=true')
  expect(await tagOf()).toBe(tag)
  await publish('again', '?forceOverwrite=true', ids.slice(1))
  const changed = await ask(manifestPath(org, 'again'), tag)
  expect([changed.status, changed.body.generation]).toEqual([200, 3])
  expect(await tagOf()).not.toBe(tag)
})

test('with replaced=true a manifest describes the packet that it replaced, unless that was removed', async () => {
  const replaced = async () => {
    const { headers, body } = await ask(manifestPath(org, 'replaced', '?replaced=true'), '*')
    expect([headers.get('ETag'), 'replaced' in body]).toEqual([null, true])
    return body.replaced
  }
  await publish('replaced')
  const { packet: _, ...first } = (await ask(manifestPath(org, 'replaced'))).body
  expect(first).not.toHaveProperty('replaced')
  expect(await replaced()).toBeNull()
  await publish('replaced', '?forceOverwrite=true', ids.slice(1))
  const { generation, jobId, createdAt, pairs, bytes, sha256, shape } = first
  expect(await replaced()).toEqual({ generation, jobId, createdAt, pairs, bytes, sha256, shape })
  await client.call('DELETE', `/1.0/publish/${org}/replaced`)
  await publish('replaced')
  expect(await replaced()).toBeNull()
})

test('with a lifetime every answer has new links, whatever If-None-Match says', async () => {
  await publish('linked', '?batchsize=20')
  const { sha256 } = (await ask(manifestPath(org, 'linked'))).body
  for (const tag of [undefined, `W/"${sha256}"`, `"${sha256}"`, '*']) {
    const { status, headers, body } = await ask(manifestPath(org, 'linked', '?lifetime=60'), tag)
    expect([tag, status, headers.get('ETag'), body.sha256]).toEqual([tag, 200, null, sha256])
    for (const { url, sha256: digest, bytes } of body.parts) {
      expect(new URL(url as string).searchParams.get('X-Amz-Expires')).toBe('60')
      const part = Buffer.from(await (await fetch(url as string)).arrayBuffer())
      expect([part.length, sha256Of(part)]).toEqual([bytes, digest])
    }
  }
})

test('a client that sends no Cache-Control, unlike fetch, gets 304 as well, and 200 with a lifetime', async () => {
  await publish('raw')
  const { sha256 } = (await ask(manifestPath(org, 'raw'))).body
  const statusOf = async (query: string, tag: string) => {
    const head = [`GET ${manifestPath(org, 'raw', query)} HTTP/1.1`, `Host: ${new URL(apiUrl).host}`]
    const fields = [`Authorization: Bearer ${tokens.reader}`, `If-None-Match: ${tag}`, 'Connection: close']
    return (await sendRaw(apiUrl, `${[...head, ...fields].join('\r\n')}\r\n\r\n`)).split(' ')[1]
  }
  for (const tag of [`W/"${sha256}"`, `"${sha256}"`, '*']) {
    expect([tag, await statusOf('', tag), await statusOf('?lifetime=60', tag)]).toEqual([tag, '304', '200'])
  }
})

test.each(['0', '604801', '-1', '1.5', 'x', ''])('lifetime=%s is 400', async (lifetime) => {
  await publish('limited', '?forceOverwrite=true')
  const { status, body } = await client.get(manifestPath(org, 'limited', `?lifetime=${lifetime}`))
  expect([status, body.error]).toEqual([400, expect.stringContaining('lifetime: must')])
})

test("a part's name is 400, and names that of its packet", async () => {
  await publish('partial', '?batchsize=20')
  for (const part of ['partialPart2of5', 'partialPart9of9']) {
    const { status, body } = await client.get(manifestPath(org, part))
    const message = 'fileName: is the name of a part; that of its packet is "partial"'
    expect([status, body.error]).toEqual([400, `400 Bad Request: ${message}`])
  }
})

test('a manifest of no packet is 404: a name never used, a file of others, a removed packet, another org', async () => {
  await store.put(`${org}/foreign.json`, Buffer.from('{"statements":[]}'))
  await publish('removed')
  expect((await client.call('DELETE', `/1.0/publish/${org}/removed`)).status).toBe(200)
  for (const [name, fileName] of [
    [org, 'never'],
    [org, 'foreign.json'],
    [org, 'removed'],
    [uniqueName('org'), 'never'],
  ] as const) {
    for (const query of ['', '?lifetime=60']) {
      const { status, body } = await client.get(manifestPath(name, fileName, query))
      const message = `fileName: there is no packet "${fileName}" in "${name}"; files that other programs stored are not packets`
      expect([status, body.error]).toEqual([404, `404 Not Found: ${message}`])
    }
  }
})

test('to a token of another org the packet does not exist; one that may read gets it', async () => {
  await publish('owned')
  const [acme, reader] = [createClient(apiUrl, tokens.acme as string), createClient(apiUrl, tokens.reader as string)]
  const denied = await acme.get(manifestPath(org, 'owned'))
  expect([denied.status, denied.body.error]).toEqual([404, expect.stringContaining(`"${org}" does not exist`)])
  expect((await reader.get(manifestPath(org, 'owned'))).status).toBe(200)
})

test('a packet in a directory, with a name that must be encoded, has a manifest', async () => {
  await publish('deep/déjà vu 100 #?.json', '?batchsize=30')
  const { status, body } = await ask(manifestPath(org, 'deep/déjà vu 100 #?.json'))
  expect([status, body.packet, body.parts[0]?.fileName]).toEqual([
    200,
    `${org}/deep/déjà vu 100 #?.json`,
    'deep/déjà vu 100 #?.jsonPart1of3',
  ])
})

test('a manifest names neither the origin nor anybody who asked for the packet', async () => {
  await publish('discreet')
  const { text } = await client.get(manifestPath(org, 'discreet', '?lifetime=60'))
  const { username, password, host } = { ...inject('stack').neo4j, host: new URL(fields.dbUrl).host }
  for (const secret of [fields.credentials, password, host, `"${username}"`, tokens.all as string]) {
    expect(text).not.toContain(secret)
  }
})

import { connect } from 'node:net'
import { expect, inject } from 'vitest'
import { run } from '../../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../../dev/requests.ts'
import { until } from '../../../support/faults/processes.ts'
import { drawModel } from '../../../support/models/large-model.ts'
import { managerClient } from '../../../support/models/models.ts'
import type { World } from '../../../support/worlds/world.ts'
import type { Breakable, Fault } from './faults.ts'

const respondAsync = { Prefer: 'respond-async' }
/** A run is handed over after six seconds; the rest is for a busy machine. */
const servedWithinMs = 60_000

/** How an org may take a resource from all others. Each attack ends once another org has been served during it. */
export const attacks: Record<string, Fault> = {
  async 'slots held by another org'(broken) {
    const { world, heldOrigin } = broken
    const org = await attackerOf(broken)
    heldOrigin.hold()
    for (let at = 0; at < 6; at++) {
      const body = { ...broken.requestOfHeld(), orgName: org, fileName: `held${at}` }
      await world.client.post('/1.0/publish/', body, respondAsync)
    }
    await served(broken)
    heldOrigin.letGo()
    await cancelAll(broken, org)
  },
  async 'queue filled by another org'(broken) {
    const { world, heldOrigin } = broken
    const org = await attackerOf(broken)
    heldOrigin.hold()
    const statuses = new Set<number>()
    for (let at = 0; at < 60 && !statuses.has(429); at++) {
      const requests = Array.from({ length: 61 }, () => {
        return { ...broken.requestOfHeld(), orgName: org, fileName: `many${at}` }
      })
      statuses.add((await world.client.post('/1.0/publish/multi', requests, respondAsync)).status)
    }
    expect([...statuses]).toContain(429)
    await served(broken)
    heldOrigin.letGo()
    await cancelAll(broken, org)
  },
  async 'lists that clients leave'(broken) {
    const { world } = broken
    const org = await attackerOf(broken)
    const after = 'A'.repeat(180)
    const headers = { Authorization: `Bearer ${world.service.tokens.all}` }
    const list = () =>
      fetch(`http://127.0.0.1:${apiPort(broken)}/1.0/publish/${org}?limit=1&after=${after}`, {
        headers,
        signal: AbortSignal.timeout(500),
      }).catch(() => {})
    await Promise.all([...Array.from({ length: 50 }, list), served(broken)])
  },
  async 'long texts'(broken) {
    const { client } = broken.world
    const files = `/1.0/publish/${await attackerOf(broken)}`
    const digits = '1'.repeat(900_000)
    const answers = Promise.all([
      ...Array.from({ length: 4 }, () => client.post(`${files}/files`, { fileNames: [digits] })),
      ...Array.from({ length: 10 }, () => client.get(`${files}?filter=${digits.slice(0, 10_000)}x`)),
    ])
    await served(broken)
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([400]))
  },
  async 'origin that sends memory'(broken) {
    const { world, hostile } = broken
    const org = await attackerOf(broken)
    const before = hostile.endlessReads()
    for (let at = 0; at < 3; at++) {
      const body = { ...hostile.requestOfMemory, orgName: org, fileName: `memory${at}` }
      await world.client.post('/1.0/publish/', body, respondAsync)
    }
    await until('its rows are read', () => hostile.endlessReads() > before)
    await served(broken)
    await cancelAll(broken, org)
  },
  async 'models with long texts'(broken) {
    const { world } = broken
    const org = await attackerOf(broken)
    const manager = managerClient(world.client)
    const { name, grn } = await manager.made(`grn:gg:org:${org}`, { name: uniqueName('model') })
    const { body } = await manager.get(`version/name/${name}`)
    const model = body.managerVersion?.grn as string
    const own = await drawModel(world.origin, model, { types: 300, properties: 1 })
    const texts = { own, dataType: `String${' '.repeat(9_993)}?` }
    await run(world.origin, 'MATCH (n:GraphPacketsProperty {createdBy: $own}) SET n.dataType = $dataType', texts)
    const { mappedIndices: _, ...place } = database(inject('stack').neo4j, '', '')
    const request = { ...place, model, index: 'T1', originIds: ['none'], metadata: true, orgName: org }
    for (let at = 0; at < 4; at++)
      await world.client.post('/1.0/publish/', { ...request, fileName: `bound${at}` }, respondAsync)
    await served(broken)
    await cancelAll(broken, org)
    expect((await manager.delete(grn)).status).toBe(200)
  },
  async 'slow bodies'(broken) {
    const head = [
      'POST /1.0/publish/multi HTTP/1.1',
      ...['Host: x', 'Content-Type: application/json', 'Content-Length: 33000000'],
      `Authorization: Bearer ${broken.world.service.tokens.all}`,
    ]
    const sockets = Array.from({ length: 16 }, () => {
      const socket = connect(apiPort(broken), '127.0.0.1').on('error', () => {})
      socket.resume().write(`${head.join('\r\n')}\r\n\r\n[`)
      return socket
    })
    await served(broken)
    for (const socket of sockets) socket.destroy()
  },
  async 'callbacks that nobody answers'(broken) {
    const { world, hostile } = broken
    const org = await attackerOf(broken)
    const before = hostile.receiver.received.length
    for (let at = 0; at < 20; at++) {
      const names = { orgName: org, fileName: `called${at}`, callbackUrl: hostile.receiver.url }
      await world.client.post('/1.0/publish/', { ...broken.requestOfAnother(), ...names }, respondAsync)
    }
    await until('a callback is sent', () => hostile.receiver.received.length > before)
    await served(broken)
  },
  async 'key server away'(broken) {
    const { identities } = broken.hostile
    const [known, unknown] = [await identities.sign(), await identities.sign({}, { kid: 'unknown' })]
    const statusFor = async (token: string) => {
      const url = `http://127.0.0.1:${apiPort(broken)}/1.0/publish/${broken.world.org}?limit=1`
      return (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).status
    }
    expect(await statusFor(known)).toBe(200)
    identities.setSilent(true)
    const refused = Array.from({ length: 20 }, () => statusFor(unknown))
    await served(broken)
    expect(await statusFor(known)).toBe(200)
    for (const status of await Promise.all(refused)) expect([401, 503]).toContain(status)
    identities.setSilent(false)
  },
}

const apiPort = ({ fleet }: Breakable) => Number(/"port":(\d+),"msg":"listening"/.exec(fleet.api.log())?.[1])

async function attackerOf({ world }: Breakable): Promise<string> {
  return otherOrg(world, 'attacker')
}

async function otherOrg({ client, otherOrgs }: World, name: string): Promise<string> {
  const org = uniqueName(name)
  otherOrgs.add(org)
  await client.post(`/1.0/publish/${org}`)
  return org
}

/** Waits until a publish of another org succeeds. */
async function served(broken: Breakable): Promise<void> {
  const { world } = broken
  const body = { ...broken.requestOfAnother(), orgName: await otherOrg(world, 'victim'), fileName: 'served' }
  const { headers, status } = await world.client.post('/1.0/publish/', body, respondAsync)
  expect(status).toBe(202)
  const job = headers.get('Location') as string
  const isDone = async () => (await world.client.get<{ state: string }>(job)).body.state === 'succeeded'
  await until('another org is served', isDone, servedWithinMs)
}

async function cancelAll({ world }: Breakable, org: string): Promise<void> {
  const { body } = await world.client.get<{ jobs: { id: string }[] }>(`/1.0/jobs?orgName=${org}&limit=1000`)
  for (const { id } of body.jobs) await world.client.post(`/1.0/jobs/${id}/cancel`)
}

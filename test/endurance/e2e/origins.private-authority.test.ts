import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { listenOn } from '../../support/origins/hostile-origins.ts'
import { runDoctor } from '../../support/programs/doctor.ts'
import { ownService } from '../../support/programs/own-service.ts'

const { neo4j } = inject('stack')
const CA_FILE = join(import.meta.dirname, '../../fixtures/self-signed.cert.pem')
const label = uniqueName('P')
const driver = openDriver(neo4j)
await run(driver, `CREATE (:${label} {id: 'a'})`)
await driver.close()

/** The stack's origin behind TLS, with a certificate for localhost and 127.0.0.1 that signs itself. */
const { hostname, port: plainPort } = new URL(neo4j.boltUrl)
const { port } = await listenOn(
  '127.0.0.1',
  (socket) => {
    const origin = connect(Number(plainPort), hostname).on('error', () => socket.destroy())
    socket.pipe(origin).pipe(socket)
  },
  true,
)

const env = { CA_FILE, ORIGIN_ALLOW: `localhost:${port},127.0.0.0/8:${port}` }
const { service } = await ownService({ workers: 1, env })
const org = uniqueName('org')

/** The status and error of a publish from an address, returned and stored. */
async function answersOf(apiUrl: string, dbUrl: string) {
  const client = createClient(apiUrl, service.tokens.all as string)
  await client.post(`/1.0/publish/${org}`)
  const request = { ...database(neo4j, label, 'id'), dbUrl, originIds: ['a'], metadata: true }
  const answers = [
    await client.post('/1.0/publish/', { ...request, returnOnly: true }),
    await client.post('/1.0/publish/', { ...request, orgName: org, fileName: uniqueName('file') }),
  ]
  return answers.map(({ status, body }) => body.error ?? status)
}

test.each(['bolt+s', 'neo4j+s'])(
  'an origin with a certificate of an authority in CA_FILE is read: %s',
  async (scheme) => {
    expect(await answersOf(service.apiUrl, `${scheme}://localhost:${port}`)).toEqual([200, 200])
    expect(await answersOf(service.apiUrl, `${scheme}://127.0.0.1:${port}`)).toEqual([200, 200])
  },
)

test('the certificate of a private authority must still match the name of the origin', async () => {
  const unreachable = '502 Bad Gateway: the origin database could not be reached'
  expect((await answersOf(service.apiUrl, `bolt+s://127.0.0.2:${port}`))[0]).toBe(unreachable)
})

test('without CA_FILE an origin with a certificate of a private authority is not read', async () => {
  const { apiUrl } = await service.startApi({ CA_FILE: '' })
  const unreachable = '502 Bad Gateway: the origin database could not be reached'
  expect((await answersOf(apiUrl, `bolt+s://localhost:${port}`))[0]).toBe(unreachable)
})

test('the manager database may have a certificate of a private authority, too', async () => {
  const MANAGER_DB_URL = `bolt+s://localhost:${port}`
  const ofManager = async (settings: Record<string, string>) =>
    (await runDoctor({ MANAGER_DB_URL, ...settings })).lines.find((line) => line.includes('manager database'))
  expect(await ofManager({ CA_FILE })).toBe('ok    manager database: answers')
  expect(await ofManager({})).toMatch(/^fail {2}manager database: does not answer/)
})

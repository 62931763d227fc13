import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDirectory, runCli } from '../../support/clients/cli.ts'
import { manifest, startPacketService } from '../../support/clients/fake-packet.ts'
import { startFakeService } from '../../support/servers/fake-service.ts'

test('a manifest whose digests contradict each other is refused', async () => {
  const { get, directory } = await startPacketService()
  await get()
  const written = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ ...written, sha256: '0'.repeat(64) }))
  const { code, stderr } = await runCli(['inspect', directory])
  expect({ code, stderr }).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('sha256: is not the digest of its parts'),
  })
})

test.each(['..', 'a/..', '/', 'a\\b', ''])('a manifest with a part named %j is refused', async (fileName) => {
  const service = await startFakeService(({ headers }) => {
    const whole = manifest(`http://${headers.host}`)
    return { status: 200, body: { ...whole, parts: [{ ...whole.parts[0], fileName }] } }
  })
  const { code, stderr } = await runCli(['get', 'acme/p', '-o', join(emptyDirectory(), 'p')], service.variables)
  expect({ code, stderr }).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('parts.0.fileName: must be the name of a file'),
  })
})

test('inspect says when a packet expires, also of one that was downloaded', async () => {
  const expiresAt = '2026-12-22T12:00:00.000Z'
  const { directory, get } = await startPacketService(undefined, { expiresAt })
  await get()
  const { stdout } = await runCli(['inspect', directory])
  expect(stdout).toContain(`\nexpires: ${expiresAt}\n`)
  expect(JSON.parse((await runCli(['inspect', directory, '--json'])).stdout)).toMatchObject({ expiresAt })
})

test('inspect says that a packet is masked, and nothing of masks otherwise', async () => {
  const masking = { key: 'one', sha256: 'a'.repeat(64) }
  for (const [more, line] of [
    [{ masking }, `masked: by rules with the digest ${masking.sha256}, hashes with the key one`],
    [{ masking: { ...masking, key: null } }, `masked: by rules with the digest ${masking.sha256}`],
    [{}, undefined],
  ] as const) {
    const { directory, get } = await startPacketService(undefined, more)
    await get()
    const { stdout } = await runCli(['inspect', directory])
    expect(stdout.split('\n').find((one) => one.startsWith('masked'))).toBe(line)
    const { masking: told } = JSON.parse((await runCli(['inspect', directory, '--json'])).stdout)
    expect(told).toEqual('masking' in more ? more.masking : null)
  }
})

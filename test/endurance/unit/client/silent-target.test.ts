import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDirectory, spawnCli } from '../../../support/clients/cli.ts'

/** Runs a command against a target that accepts a connection and never answers, and then interrupts the command. */
async function interrupted([name, ...more]: readonly [string, ...string[]], cwd: string) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const to = `bolt://127.0.0.1:${(server.address() as AddressInfo).port}`
  let interruptedAt = 0
  const ended = spawnCli(
    [name, 'p.json', '--to', to, ...more],
    {},
    {
      cwd,
      async during(child) {
        const [socket] = await once(server, 'connection')
        interruptedAt = performance.now()
        child.kill('SIGTERM')
        await once(child, 'close')
        socket.destroy()
      },
    },
  )
  const { code, stdout, stderr } = await ended
  const seconds = (performance.now() - interruptedAt) / 1_000
  server.close()
  return { code, stdout, stderr, seconds }
}

// Transactions under way have ten seconds to end; without an end the driver would wait for the server.
test('a client that is interrupted while its target says nothing ends', { timeout: 90_000 }, async () => {
  const cwd = emptyDirectory()
  writeFileSync(join(cwd, 'p.json'), '{"statements": []}')
  const commands = [['verify'], ['replay'], ['replay', '--dry-run']] as const
  for (const { seconds, ...ended } of await Promise.all(commands.map((words) => interrupted(words, cwd)))) {
    expect(ended).toEqual({ code: 130, stdout: '', stderr: expect.stringMatching(/^interrupted/) })
    expect(seconds).toBeLessThan(40)
  }
})

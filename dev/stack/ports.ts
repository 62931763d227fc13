import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ephemeral ports (from 32768 on Linux, 49152 on macOS): an outgoing connection could take one of those
// between the check and the listen.
const LOWEST = 15_000
const HIGHEST = 32_000

/** @param alsoAt the distance to a second port that must be free too */
export async function freePort(alsoAt = 0): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - alsoAt - LOWEST))
    if ((await isFree(port)) && (alsoAt === 0 || (await isFree(port + alsoAt)))) return port
  }
  throw new Error(`no free port found between ${LOWEST} and ${HIGHEST}`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

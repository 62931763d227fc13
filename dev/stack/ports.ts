import { once } from 'node:events'
import { createServer } from 'node:net'

// Below what the system hands out to outgoing connections (32768 on Linux, 49152 on macOS): a port from there could be
// taken by any connection between being found free and being listened on.
const LOWEST = 15_000
const HIGHEST = 32_000

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
    if (await isFree(port)) return port
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

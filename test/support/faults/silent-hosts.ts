import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Version } from '../worlds/versions.ts'

const suffix = '.silent.example'

/** Hosts whose names never resolve. */
export interface SilentHosts {
  /** Their pattern for ORIGIN_ALLOW. */
  origins: string[]
  /** Environment in which a program's name servers do not answer for these hosts. */
  env: Record<string, string>
  /** Sub-requests of a version with such a host as their origin. */
  requestsOf(version: Version, index: number): object[]
}

/** Stopped when the calling file finishes. */
export async function silentHosts(): Promise<SilentHosts> {
  const directory = mkdtempSync(join(tmpdir(), 'silent-'))
  const server = createSocket('udp4').bind(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.close()
    rmSync(directory, { recursive: true })
  })
  return {
    origins: [`*${suffix}:7687`],
    env: {
      NODE_OPTIONS: `--import ${import.meta.resolve('./silent-names.ts')}`,
      SILENT_NAMES: suffix,
      SILENT_SERVER: `127.0.0.1:${server.address().port}`,
      SILENT_DIRECTORY: directory,
    },
    requestsOf: ({ requests }, index) =>
      requests.map((request) => ({ ...request, dbUrl: `bolt://host${index}${suffix}:7687` })),
  }
}

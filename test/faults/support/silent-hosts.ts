import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Version } from './versions.ts'

const suffix = '.silent.example'

/** Hosts whose names no server answers for. */
export interface SilentHosts {
  /** What may be published from, as ORIGIN_ALLOW has it. */
  origins: string[]
  /** With it a program's name servers are silent about them. */
  env: Record<string, string>
  /** Sub-requests for what would be at one of them. */
  requestsOf(version: Version, index: number): object[]
}

/** It ends with the file that calls it. */
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

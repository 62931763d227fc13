import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { uniqueName } from '../../../dev/requests.ts'
import { type ServiceOptions, startService } from '../../../dev/service.ts'
import { ownDatabase } from '../servers/own-database.ts'
import { openTestStorage } from '../storage/storage.ts'

/** A service for one test file, with its own Redis database and bucket, which decides which workers run. */
export async function ownService(options: Partial<ServiceOptions> = {}) {
  const redisDatabase = options.redisDatabase ?? (await databaseOfFile())
  const directory = mkdtempSync(join(tmpdir(), 'service-'))
  const bucket = uniqueName('own')
  const service = await startService(inject('stack'), { directory, bucket, workers: 0, ...options, redisDatabase })
  afterAll(async () => {
    await service.stop()
    rmSync(directory, { recursive: true })
  })
  const { store } = await openTestStorage(service.env)
  return {
    service,
    client: createClient(service.apiUrl, service.tokens.all as string),
    as: (name: string) => createClient(service.apiUrl, service.tokens[name] as string),
    store,
    async keysBelow(prefix: string): Promise<string[]> {
      const keys: string[] = []
      for await (const { key } of store.list(prefix)) keys.push(key)
      return keys
    },
  }
}

/** A Redis database for one test file, emptied when the file finishes. */
export async function databaseOfFile(): Promise<number> {
  const { database, release } = await ownDatabase(inject('stack').redis.url)
  afterAll(release)
  return database
}

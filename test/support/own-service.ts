import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { readConfig } from '../../shared/config/config.ts'
import { openMinioStore } from '../../shared/storage/minio-store.ts'
import { type ServiceOptions, startService } from '../stack/service.ts'
import { createClient } from './client.ts'
import { uniqueName } from './requests.ts'

/** A service for one test file, where it decides which workers run: a Redis database and a bucket of its own. */
export async function ownService(redisDatabase: number, options: Partial<ServiceOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'service-'))
  const bucket = uniqueName('own')
  const service = await startService(inject('stack'), { directory, redisDatabase, bucket, workers: 0, ...options })
  afterAll(async () => {
    await service.stop()
    rmSync(directory, { recursive: true })
  })
  const store = openMinioStore(readConfig('worker', service.env).storage)
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

import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startService } from '../../../dev/service.ts'
import { openRun } from '../../../dev/stack/run.ts'
import { type Neo4jAddress, type Stack, startStack } from '../../../dev/stack/stack.ts'
import { buildConsole } from '../../../dev/tools/build-console.ts'
import { startLargeIds } from '../origins/large-ids.ts'

/** What every test can rely on: the real dependencies, one API and two workers. */
interface Running {
  stack: Omit<Stack, 'stop' | typeof Symbol.asyncDispose>
  /** The stack's origin behind a proxy that shifts its internal ids beyond 2^53. */
  largeIds: Neo4jAddress
  service: {
    apiUrl: string
    tokens: Record<string, string>
    bucket: string
    redisUrl: string
    env: Record<string, string>
    directory: string
  }
}

declare module 'vitest' {
  export interface ProvidedContext extends Running {
    /** Tests run in their long forms: `npm run test:all`. */
    isLong: boolean
  }
}

// Restricted tokens for access tests, in addition to the unrestricted one.
const tokens = [
  { name: 'acme', orgs: ['acme'], scopes: ['publish:read', 'publish:write'] },
  { name: 'reader', orgs: ['*'], scopes: ['publish:read'] },
  { name: 'model-reader', orgs: ['*'], scopes: ['manager:read'] },
  // A token may have one dry run at a time.
  { name: 'dry-runs', orgs: ['*'], scopes: ['publish:read', 'publish:write'] },
  { name: 'acme-models', orgs: ['acme'], scopes: ['manager:read', 'manager:write', 'search:read'] },
]

// An allowed origin on which nothing listens.
const closedOrigin = '127.0.0.1:1'

/** Starts the stack for every project: the first one that needs it. */
export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if ('stack' in vitest.getRootProject().getProvidedContext()) return
  await buildConsole()
  const {
    stop,
    [Symbol.asyncDispose]: _,
    ...stack
  } = await startStack({ target: true, legacy: true }, { isShortLived: true })
  const { stop: stopLargeIds, ...largeIds } = await startLargeIds(stack.neo4j)
  const logs = openRun(join(import.meta.dirname, '../../../.local/run'), console.error)
  try {
    const origins = [closedOrigin, new URL(largeIds.boltUrl).host]
    const service = await startService(stack, { directory: logs.directory, tokens, origins })
    vitest.provide('largeIds', largeIds)
    const { apiUrl, bucket, redisUrl, env } = service
    vitest.provide('stack', stack)
    vitest.provide('service', { apiUrl, tokens: service.tokens, bucket, redisUrl, env, directory: logs.directory })
    return async () => {
      await service.stop()
      await stopLargeIds()
      await logs.stop()
      await stop()
    }
  } catch (error) {
    await stopLargeIds()
    await logs.stop()
    await stop()
    throw error
  }
}

import type { Provider } from '../addresses.ts'
import type { Run } from '../run.ts'
import { startLegacy, startOrigin, startTarget } from './neo4j.ts'
import { startRedis } from './redis.ts'
import { startS3 } from './s3.ts'

/** Everything as a process of this machine. Throws one line that says what to install when that cannot be. */
export const native = (run: Run): Provider => ({
  redis: () => startRedis(run),
  s3: () => startS3(run),
  neo4j: () => startOrigin(run),
  target: () => startTarget(run),
  legacy: () => startLegacy(run),
})

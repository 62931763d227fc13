import type { Provider } from '../addresses.ts'
import type { Run } from '../run.ts'
import { startLegacy, startOrigin, startTarget } from './neo4j.ts'
import { startRedis } from './redis.ts'
import { startS3 } from './s3.ts'

/** Starts native processes. Throws one line that says what to install if a program is missing. */
export const native = (run: Run, isShortLived: boolean): Provider => ({
  redis: () => startRedis(run),
  s3: () => startS3(run),
  neo4j: () => startOrigin(run, isShortLived),
  target: () => startTarget(run),
  legacy: () => startLegacy(run),
})

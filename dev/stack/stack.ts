import { join } from 'node:path'
import type { Neo4jAddress, Provider, RedisAddress, S3Address, TargetAddress } from './addresses.ts'
import { docker } from './docker.ts'
import { given } from './given.ts'
import { native } from './native/native.ts'
import { openRun } from './run.ts'

export type { Neo4jAddress, RedisAddress, S3Address, TargetAddress } from './addresses.ts'

export interface Stack {
  redis: RedisAddress
  s3: S3Address
  /** The origin, a Neo4j 5. */
  neo4j: Neo4jAddress
  /** A second Neo4j 5, empty, with HTTP enabled. */
  target?: TargetAddress
  /** A Neo4j 3.5, empty. */
  legacy?: Neo4jAddress
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface StackOptions {
  /** Receives progress messages, one line each. Default: stderr. */
  say?: (line: string) => void
  /** Parent of the run's own folder, which is removed when the run stops. Default: `.local/run`. */
  directory?: string
  /** Starts the origin without the optimizing compiler, which costs more than it saves in a run of a few minutes. */
  isShortLived?: boolean
  /** Whether addresses in the environment are used. Default: true. */
  usesGiven?: boolean
}

const RUNS = join(import.meta.dirname, '../../.local/run')

/**
 * Starts the real dependencies concurrently, each from the first available of: an address in the environment, Docker, a
 * native process. If one is unavailable, throws a readable message and leaves nothing behind.
 */
export async function startStack(
  wanted: { target?: boolean; legacy?: boolean },
  { say = console.error, directory = RUNS, isShortLived = false, usesGiven = true }: StackOptions = {},
): Promise<Stack> {
  const run = openRun(directory, say)
  const providers = [...(usesGiven ? [given] : []), docker(run), native(run, isShortLived)]
  const starts = [
    firstOf(providers, 'redis'),
    firstOf(providers, 's3'),
    firstOf(providers, 'neo4j'),
    wanted.target ? firstOf(providers, 'target') : undefined,
    wanted.legacy ? firstOf(providers, 'legacy') : undefined,
  ] as const
  try {
    const [redis, s3, neo4j, target, legacy] = await Promise.all(starts)
    const stop = () => run.stop()
    return { redis, s3, neo4j, target, legacy, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await run.stop(starts)
    throw error
  }
}

async function firstOf<Name extends keyof Provider>(providers: readonly Provider[], name: Name) {
  for (const provider of providers) {
    const address = await provider[name]()
    if (address) return address as NonNullable<Awaited<ReturnType<Provider[Name]>>>
  }
  throw new Error(`${name}: no source provides it`)
}

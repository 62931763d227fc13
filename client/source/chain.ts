import zlib from 'node:zlib'
import type { Context } from '../context.ts'
import { Failure, usageError } from '../exit.ts'
import type { CommonOptions } from '../options.ts'
import type { StateSource } from '../replay/state/verify-state.ts'
import { download } from './download.ts'
import { findService } from './resolve.ts'
import type { Source } from './source.ts'

/** The packets at the service that lead to the state of one of them, from that one to the whole packet at the beginning. */
export async function chainOf(
  context: Context,
  word: string,
  newest: Source,
  options: CommonOptions,
): Promise<StateSource> {
  const { manifest } = newest
  const state = manifest?.state ?? null
  if (state === null) throw usageError(`--state: ${word} leads to no state; publish it with --as-base, or with --base`)
  if (zlib.zstdDecompressSync === undefined) throw usageError('--state: needs Node.js 22.15 or later')
  const keys = state.keys.map(({ url, ...piece }) => {
    if (url === undefined) throw usageError(`--state: ${word} must be a packet at the service`)
    return { ...piece, read: (signal: AbortSignal) => download(url, signal) }
  })
  const packets: [Source, ...Source[]] = [newest]
  for (let one = newest; ; ) {
    const base = one.manifest?.base ?? null
    if (base === null || typeof base === 'string') return { packets, keys }
    const found = await findService(context, base.packet, options)
    const problem = found === null ? 'is gone' : problemOf(found, base)
    if (found === null || problem !== null) {
      throw new Failure('service', `--state: ${base.packet}, the base of ${one.manifest?.packet}, ${problem}`)
    }
    packets.push(found)
    one = found
  }
}

function problemOf({ manifest }: Source, { generation, state }: { generation: number; state: string }): string | null {
  if (manifest?.generation !== generation)
    return `was replaced: it is generation ${manifest?.generation}, not ${generation}`
  return manifest.state?.sha256 === state ? null : 'leads to another state'
}

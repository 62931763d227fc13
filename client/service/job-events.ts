import type { Job } from '../../wire/job.ts'
import { delay } from './delay.ts'

// The service sends at least a comment every 15 seconds.
const longestSilenceMs = 40_000

/**
 * The jobs in an event stream. Ends without an error if the stream is cut or silent.
 * @throws what `signal` aborts with
 */
export async function* jobsIn(stream: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Job> {
  const decoder = new TextDecoder()
  // Not every browser can iterate over a stream.
  const reader = stream.getReader()
  let text = ''
  try {
    for (;;) {
      const read = await withTimeLimit(reader.read())
      if (read === null || read.done) return
      const { value } = read
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) {
        const lines = block.split('\n')
        const data = lines.find((line) => line.startsWith('data: '))
        const isOfJob = lines.includes('event: job') || lines.includes('event: end')
        if (isOfJob && data !== undefined) yield JSON.parse(data.slice('data: '.length))
      }
    }
  } catch {
    signal?.throwIfAborted()
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function withTimeLimit<T>(work: Promise<T>): Promise<T | null> {
  const silence = new AbortController()
  const timer = delay(longestSilenceMs, silence.signal).then(
    () => null,
    () => null,
  )
  return Promise.race([work, timer]).finally(() => silence.abort())
}

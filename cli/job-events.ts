import type { Job } from './api/schemas.ts'

/** The jobs in an event stream. Ends, without an error, where the stream is cut. @throws what `signal` aborts with */
export async function* jobsIn(stream: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Job> {
  let text = ''
  try {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) {
        const [, data] = /^event: (?:job|end)$.*^data: (.*)$/ms.exec(block) ?? []
        if (data !== undefined) yield JSON.parse(data)
      }
    }
  } catch {
    signal?.throwIfAborted()
  }
}

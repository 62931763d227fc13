import { Client } from 'minio'
import type { ReaderOrder } from './reader.ts'

const perPart = 5_000

/**
 * Cuts exported statements into parts of 5,000 and puts each into the store, as a careful script would: it reads on while
 * one part is being put.
 */
export function partStore({ s3, bucket }: Pick<ReaderOrder, 's3' | 'bucket'>, prefix: string) {
  const { protocol, hostname, port } = new URL(s3.endpoint)
  const { region, accessKey, secretKey } = s3
  const useSSL = protocol === 'https:'
  const client = new Client({ endPoint: hostname, port: Number(port), useSSL, region, accessKey, secretKey })
  let held: string[] = []
  let parts = 0
  let putting: Promise<unknown> = Promise.resolve()

  async function put(statements: readonly string[]) {
    await putting
    const body = Buffer.from(statements.join(''))
    putting = client.putObject(bucket, `exported/${prefix}/${++parts}.cypher`, body, body.length)
    // Awaited before the next one.
    putting.catch(() => {})
  }

  return {
    async take(text: string): Promise<void> {
      for (const statement of text.split(/(?<=;\n)/)) {
        held.push(statement)
        if (held.length < perPart) continue
        await put(held)
        held = []
      }
    },
    async end(): Promise<void> {
      if (held.length > 0) await put(held)
      await putting
    },
  }
}

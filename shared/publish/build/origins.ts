import type { Origin, OriginSettings } from '../../origin/connect.ts'
import { openMeasured } from '../../origin/measured.ts'
import { type Learned, nothingLearned } from '../read/properties.ts'
import { createRelationshipSchema, type RelationshipSchema } from '../read/relationship-schema.ts'
import { createUniqueness, type Uniqueness } from '../read/uniqueness.ts'
import type { PublishRequest } from '../request/fields.ts'

/** An origin that is open, and what is known of it. */
export interface OpenOrigin extends Learned {
  /** Requests with the same key may be read from it. */
  key: string
  origin: Origin
  uniqueness: Uniqueness
  schema: RelationshipSchema
}

/** One origin at a time, kept for the next request if that names the same; closed when the signal aborts a hanging read. */
export function originsUntil(signal: AbortSignal, policy: OriginSettings, limitSeconds: number) {
  let current: OpenOrigin | null = null
  const close = async () => {
    const closing = current
    current = null
    await closing?.origin.close().catch(() => {})
  }
  signal.addEventListener('abort', close, { once: true })
  const keyOf = ({ dbUrl, credentials }: PublishRequest) => `${dbUrl} ${credentials}`
  return {
    /** The one that is open, where the request names the same and may be read in its transaction. */
    opened: (request: PublishRequest): OpenOrigin | null =>
      current?.key === keyOf(request) && !current.origin.isDue() ? current : null,
    async open(request: PublishRequest): Promise<OpenOrigin> {
      const key = keyOf(request)
      if (current?.key === key) {
        if (await current.origin.renew()) current.schema.renewed()
        return current
      }
      await close()
      const origin = await openMeasured(request, policy, limitSeconds, signal)
      if (signal.aborted) await origin.close().catch(() => {})
      signal.throwIfAborted()
      current = {
        key,
        origin,
        uniqueness: createUniqueness(origin),
        schema: createRelationshipSchema(origin),
        ...nothingLearned(),
      }
      return current
    },
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', close)
      await close()
    },
  }
}

import { z } from 'zod'
import * as errors from '../../shared/errors/catalogue.ts'
import { orAborted } from '../../shared/lifecycle/or-aborted.ts'
import { observeBolt } from '../../shared/observability/metrics.ts'
import { originsUntil } from '../../shared/publish/write/origins.ts'
import { readNames } from '../../shared/read/names.ts'
import { publishFields } from '../../shared/request/fields.ts'
import { originNames } from '../../wire/origin-names.ts'
import { noOrg } from '../http/access.ts'
import { zodBody } from '../http/body/zod-body.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { publishExample } from '../submission/examples.ts'

/** Bytes of the body of a request for names. Beyond this limit the answer is `413 bodyTooLarge`. */
const limitBytes = 256 * 1024

const { dbUrl, credentials, database, bookmarks } = publishFields
const place = z.strictObject({
  dbUrl,
  credentials,
  database: database.nullish().transform((given) => given ?? undefined),
  bookmarks: bookmarks.nullish().transform((given) => given ?? undefined),
})

/** Contract 7.15. */
export const findOriginNames = defineEndpoint({
  method: 'post',
  path: '/1.0/origin/names',
  summary: 'Read the labels, relationship types and unique properties of an origin',
  scope: 'publish:write',
  // As for a dry run, which need not name an org.
  access: noOrg,
  body: zodBody(place, limitBytes, { dbUrl: publishExample.dbUrl, credentials: publishExample.credentials }),
  answer: originNames,
  async handle({ config, metrics, keptOrigins, dryRunBudget }, { principal, signal, body }) {
    using reserved = new DisposableStack()
    reserved.defer(dryRunBudget(principal.identity, 1))
    const limitSeconds = config.api.dryRunSeconds
    const timeout = AbortSignal.timeout(limitSeconds * 1_000)
    const stopped = AbortSignal.any([signal, timeout])
    const policy = { ...config.origin, observe: observeBolt(metrics, 'origin'), kept: keptOrigins }
    await using origins = originsUntil(stopped, policy, limitSeconds)
    try {
      const value = await orAborted(stopped, async () => {
        const { origin } = await origins.open(body)
        return readNames(origin)
      })
      await origins.release()
      return { kind: 'json', value }
    } catch (error) {
      signal.throwIfAborted()
      throw timeout.aborted ? errors.jobTimedOut(limitSeconds, 'reading the origin') : error
    }
  },
})

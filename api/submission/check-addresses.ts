import type { Config } from '../../shared/config/config.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { Submission } from '../../shared/jobs/job.ts'
import { askedFor } from '../../shared/jobs/order.ts'
import { checkOrigin } from '../../shared/origin/connect.ts'
import { type HttpsUrl, parseHttpsUrl } from '../../shared/origin/https-url.ts'
import { callbackAddress } from '../../shared/queue/callback-address.ts'

/**
 * Time in which the API checks the hosts of a multi. Beyond this limit the worker checks the rest. 10,000 sub-requests
 * may name as many hosts, each slow to resolve.
 */
const checkingMs = 10_000

/**
 * Checks that the origins and the receiver of the callback may be reached, without connecting. If both fail, the error is
 * that of the origins. Contract 4.1 and 9.
 * @throws invalidRequest (400); dbUrlRefused, callbacksOff, callbackUrlRefused, callbackUrlUnresolved (422);
 * originUnreachable (502)
 */
export async function checkAddresses(
  { requests }: Pick<Submission, 'requests'>,
  { origin, callbacks }: Pick<Config, 'origin' | 'callbacks'>,
): Promise<void> {
  const callbackUrl = askedFor(requests, 'callbackUrl')
  async function checkCallback(): Promise<void> {
    if (!callbackUrl) return
    if (callbacks === null) throw errors.callbacksOff()
    await callbackAddress(parseHttpsUrl(callbackUrl) as HttpsUrl, callbacks)
  }
  async function checkOrigins(): Promise<void> {
    const deadline = performance.now() + checkingMs
    for (const dbUrl of new Set(requests.map(({ dbUrl }) => dbUrl))) {
      if (performance.now() > deadline) return
      await checkOrigin(dbUrl, origin)
    }
  }
  const [ofOrigins, ofCallback] = await Promise.allSettled([checkOrigins(), checkCallback()])
  for (const check of [ofOrigins, ofCallback]) if (check.status === 'rejected') throw check.reason
}

import type { CallbackSettings } from '../config/config.ts'
import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import type { HttpsUrl } from '../origin/https-url.ts'
import { checkedAddress } from '../origin/policy.ts'

/**
 * Resolves the host of a callback and checks it against CALLBACK_ALLOW, as `checkedAddress` does. Contract 9.
 * @returns a checked address. Connect to it, not to the name.
 * @throws callbackUrlRefused, callbackUrlUnresolved (422)
 */
export async function callbackAddress({ host, port }: HttpsUrl, settings: CallbackSettings): Promise<string> {
  return checkedAddress({ encrypted: true, host, port }, settings).catch((error) => {
    const isUnresolved = error instanceof AppError && error.code === 'originUnreachable'
    throw isUnresolved ? errors.callbackUrlUnresolved(error.cause) : errors.callbackUrlRefused()
  })
}

import { expect, test } from 'vitest'
import * as errors from '../../../shared/errors/catalogue.ts'
import { callbackFailureOf } from '../../../worker/callbacks/callback-failure.ts'

test.each([
  [errors.callbackUrlRefused(), 'notAllowed'],
  [errors.callbackUrlUnresolved(new Error('ENOTFOUND')), 'unresolved'],
  [Object.assign(new Error(), { code: 'ECONNREFUSED' }), 'refused'],
  [Object.assign(new Error(), { code: 'ABORT_ERR', name: 'AbortError' }), 'timedOut'],
  [Object.assign(new Error(), { code: 'CERT_HAS_EXPIRED' }), 'certificate'],
  [Object.assign(new Error(), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }), 'certificate'],
  [Object.assign(new Error(), { code: 'ECONNRESET' }), 'brokeOff'],
  [undefined, 'brokeOff'],
])('%s is the failure of a callback in one word', (error, why) => {
  expect(callbackFailureOf(error)).toBe(why)
})

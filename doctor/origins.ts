import type { AllowRule } from '../shared/config/lists.ts'
import { type Check, ok, warn } from './finding.ts'

const isEverything = (allow: readonly AllowRule[]) => allow.some((rule) => rule.kind === 'network' && rule.prefix === 0)

/** Reports which origins are allowed. Connects to none, because requests name the origins. */
export const checkOrigins: Check = ({ origin: { allow, port } }, report) => {
  if (allow === null) return report(ok('origins', `public addresses only, port ${port}`))
  if (isEverything(allow)) {
    return report(warn('origins', 'ORIGIN_ALLOW allows every address, also in this network: allow fewer, or unset it'))
  }
  report(ok('origins', `${allow.length} rule(s) of ORIGIN_ALLOW, with port ${port} by default`))
}

/** Reports where jobs may call back, if they may at all. Connects to none, because requests name the receivers. */
export const checkCallbacks: Check = ({ callbacks }, report) => {
  if (callbacks === null) return
  if (callbacks.allow === null) return report(ok('callbacks', 'public addresses only, port 443'))
  if (isEverything(callbacks.allow)) {
    const advice = 'allow fewer, or set * for public ones'
    return report(warn('callbacks', `CALLBACK_ALLOW allows every address, also in this network: ${advice}`))
  }
  report(ok('callbacks', `${callbacks.allow.length} rule(s) of CALLBACK_ALLOW, with port 443 by default`))
}

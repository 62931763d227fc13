import type { AllowRule } from '../shared/config/lists.ts'
import { type Check, ok, warn } from './finding.ts'

interface Rules {
  /** null: public addresses only. */
  allow: readonly AllowRule[] | null
  port: number
}

function findingOf(subject: string, { allow, port }: Rules, setting: string, otherwise: string) {
  if (allow === null) return ok(subject, `public addresses only, port ${port}`)
  if (allow.some((rule) => rule.kind === 'network' && rule.prefix === 0)) {
    return warn(subject, `${setting} allows every address, also in this network: allow fewer, or ${otherwise}`)
  }
  return ok(subject, `${allow.length} rule(s) of ${setting}, with port ${port} by default`)
}

/** Reports which origins are allowed. Connects to none, because requests name the origins. */
export const checkOrigins: Check = ({ origin }) => [findingOf('origins', origin, 'ORIGIN_ALLOW', 'unset it')]

/** Reports where jobs may call back, if they may at all. Connects to none, because requests name the receivers. */
export const checkCallbacks: Check = ({ callbacks }) =>
  callbacks === null ? [] : [findingOf('callbacks', callbacks, 'CALLBACK_ALLOW', 'set * for public ones')]

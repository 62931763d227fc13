import { type Check, ok, warn } from './finding.ts'

/** Reports which origins are allowed. Connects to none, because requests name the origins. */
export const checkOrigins: Check = ({ origin: { allow, ports } }, report) => {
  const onPorts = `port ${ports.join(', ')}`
  if (allow === null) return report(ok('origins', `public addresses only, ${onPorts}`))
  const isEverything = allow.some((rule) => rule.kind === 'network' && rule.prefix === 0)
  if (isEverything) {
    return report(
      warn('origins', 'ORIGIN_ALLOW allows every address, those of this network too: name fewer, or unset it'),
    )
  }
  report(ok('origins', `${allow.length} rule(s) of ORIGIN_ALLOW, ${onPorts} where a rule names none`))
}

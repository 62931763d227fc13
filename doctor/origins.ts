import { type Check, ok, warn } from './finding.ts'

/** Reports which origins are allowed. Connects to none, because requests name the origins. */
export const checkOrigins: Check = ({ origin: { allow, ports } }, tell) => {
  const onPorts = `port ${ports.join(', ')}`
  if (allow === null) return tell(ok('origins', `public addresses only, ${onPorts}`))
  if (allow.length === 0) return tell(warn('origins', 'ORIGIN_ALLOW allows nothing: every publish is refused'))
  const isEverything = allow.some((rule) => rule.kind === 'network' && rule.prefix === 0)
  if (isEverything) {
    return tell(
      warn('origins', 'ORIGIN_ALLOW allows every address, those of this network too: name fewer, or unset it'),
    )
  }
  tell(ok('origins', `${allow.length} rule(s) of ORIGIN_ALLOW, ${onPorts} where a rule names none`))
}

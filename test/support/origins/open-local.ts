import { openOrigin } from '../../../shared/origin/connect.ts'

/** Opens the origin on a port of this machine, under a policy that allows nothing else. */
export const openLocal = (port: number, silenceSeconds = 60, target: object = {}, limitSeconds = 60) =>
  openOrigin(
    { dbUrl: `bolt://127.0.0.1:${port}`, credentials: `Basic ${btoa('user:password')}`, ...target },
    {
      allow: [{ kind: 'network', address: '127.0.0.1', prefix: 32, family: 'ipv4', port }],
      port,
      silenceSeconds,
      stallSeconds: 60,
      dnsServers: null,
    },
    limitSeconds,
  )

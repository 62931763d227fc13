import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Makes every TLS connection of this process trust these authorities, in PEM, in addition to the default ones. */
export function trustAuthorities(authorities: readonly string[]): void {
  if (authorities.length > 0) setDefaultCACertificates([...getCACertificates('default'), ...authorities])
}

import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Makes every TLS connection of this process trust these authorities, in PEM, beside those that it trusts already. */
export function trustAuthorities(authorities: readonly string[]): void {
  if (authorities.length > 0) setDefaultCACertificates([...getCACertificates('default'), ...authorities])
}

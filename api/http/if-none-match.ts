/**
 * Whether `If-None-Match` names this tag: then the client already has the answer. The comparison is weak, as RFC 9110
 * demands. An answer without a tag is always sent.
 */
export function isNamed(tag: string | undefined, ifNoneMatch: string | undefined): boolean {
  if (tag === undefined || ifNoneMatch === undefined) return false
  const opaque = (one: string) => one.trim().replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => opaque(one) === opaque(tag))
}

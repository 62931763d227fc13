const canonicalInteger = /^(0|-?[1-9][0-9]{0,18})$/

/** How an id of a request may be stored: as its text, or as the 64-bit integer that it spells. Contract 4.3. */
export function idForms(id: string): [text: string] | [text: string, integer: bigint] {
  if (!canonicalInteger.test(id)) return [id]
  const integer = BigInt(id)
  return BigInt.asIntN(64, integer) === integer ? [id, integer] : [id]
}

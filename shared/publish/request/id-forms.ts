const canonicalInteger = /^(0|-?[1-9][0-9]{0,18})$/

/** How an id of a request may be stored: as its text, or as the 64-bit integer that it spells. Contract 4.3. */
export function idForms(id: string): { text: string; integer: bigint | null } {
  if (!canonicalInteger.test(id)) return { text: id, integer: null }
  const integer = BigInt(id)
  return { text: id, integer: BigInt.asIntN(64, integer) === integer ? integer : null }
}

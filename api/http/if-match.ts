/**
 * The envers that `If-Match` allows, from tags such as `"3"`; null, for `*` or no header, allows any. It ignores other
 * tags: if a header has no valid tag, it matches no record. Contract 10. Weak tags count as strong: a proxy that
 * compresses a response weakens its tag, and an enver identifies the record, not the bytes of the response.
 */
export function parseIfMatch(header: string | undefined): readonly number[] | null {
  if (header === undefined || header.trim() === '*') return null
  return header.split(',').flatMap((tag) => {
    const [, enver] = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/.exec(tag) ?? []
    return enver === undefined ? [] : [Number(enver)]
  })
}

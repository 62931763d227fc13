/**
 * The envers that `If-Match` allows: `"3"`, several of them, or none where it is something else, which then fits no
 * record. `*` and no header allow any: null. Contract 10. A weak tag counts like a strong one: a proxy that compresses an
 * answer weakens its tag, and an enver is the record's, not that of the bytes it came in.
 */
export function parseIfMatch(header: string | undefined): readonly number[] | null {
  if (header === undefined || header.trim() === '*') return null
  return header.split(',').flatMap((tag) => {
    const [, enver] = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/.exec(tag) ?? []
    return enver === undefined ? [] : [Number(enver)]
  })
}

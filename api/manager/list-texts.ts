import * as errors from '../../shared/errors/catalogue.ts'
import type { Page } from '../../shared/manager/pages.ts'
import type { ModelRecord } from '../../shared/manager/records.ts'
import type { Resource } from '../../shared/manager/resources.ts'

const readAtOnce = 1_000

/** Records as text, up to `most` of them: they are read few at a time, so that an answer is never held as objects. */
export async function textsOf(
  read: (page: Page) => Promise<ModelRecord[]>,
  of: Resource,
  most: number,
  after?: string,
) {
  const texts: string[] = []
  let place = after === undefined ? null : placeOf(of, after)
  while (texts.length < most) {
    const wanted = Math.min(readAtOnce, most - texts.length)
    // One more tells whether there are more.
    const found = await read({ limit: wanted + 1, after: place })
    for (const record of found.slice(0, wanted)) texts.push(JSON.stringify(record))
    if (found.length <= wanted) return { texts, next: null }
    place = of.sortedBy.map((field) => found[wanted - 1]?.[field] as string | number)
  }
  return { texts, next: Buffer.from(JSON.stringify(place)).toString('base64url') }
}

export async function* joined(many: string, texts: readonly string[], next: string | null): AsyncGenerator<string> {
  yield `{"${many}":[`
  for (const [index, text] of texts.entries()) yield index === 0 ? text : `,${text}`
  yield next === null ? ']}' : `],"next":"${next}"}`
}

function placeOf({ sortedBy }: Resource, after: string): (string | number)[] {
  const message = 'must be the `next` of another answer of this list'
  try {
    const place: unknown = JSON.parse(Buffer.from(after, 'base64url').toString())
    const fits = (value: unknown, at: number) =>
      sortedBy[at] === 'number' ? Number.isSafeInteger(value) : typeof value === 'string'
    if (Array.isArray(place) && place.length === sortedBy.length && place.every(fits)) return place
  } catch {}
  throw errors.invalidRequest([{ path: 'after', message }])
}

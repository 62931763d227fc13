import { requestText } from '../../packet/identity.ts'
import { isPublishable, type Kind } from '../../packet/packstream/kinds.ts'
import type { Properties } from '../origin/properties.ts'

/** How a request names a value of the origin, masked or not; null if no request can name it. Contract 4.3. */
export function askedText({ unmasked }: Properties, key: string): string | null {
  const text = unmasked.text(key)
  if (text !== null) return text
  const index = unmasked.shape.indexOf(key)
  const isNamed = index !== -1 && isPublishable(unmasked.shape.kinds[index] as Kind)
  return isNamed ? requestText(unmasked.rendered(index, 'plain')) : null
}

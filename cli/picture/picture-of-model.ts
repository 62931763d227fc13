import type { Model } from '../client.ts'
import { number } from '../format.ts'
import type { Picture } from './picture.ts'

const mostProperties = 12

/** Draws the node types of a data model, each with its properties. A model has no types of relationships. */
export const pictureOfModel = (title: string, { nodeTypes }: Model): Picture => ({
  title,
  bubbles: nodeTypes.map(({ key, properties }) => {
    const more = properties.length - mostProperties
    const shown = properties.slice(0, mostProperties).map(describeProperty)
    return { label: key, lines: more > 0 ? [...shown, `and ${number.format(more)} more`] : shown, deletions: [] }
  }),
  arrows: [],
})

const flags = ['unique', 'indexed', 'required'] as const

/** `title (unique, required)` */
export function describeProperty(property: Model['nodeTypes'][number]['properties'][number]): string {
  const has = flags.filter((flag) => (property as Record<string, unknown>)[flag] === true)
  return has.length === 0 ? property.key : `${property.key} (${has.join(', ')})`
}

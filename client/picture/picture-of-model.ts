import type { Model } from '../../wire/model.ts'
import { type Picture, shortened } from './picture.ts'

/** Draws the node types of a data model, each with its properties. A model has no types of relationships. */
export const pictureOfModel = (title: string, { nodeTypes }: Model): Picture => ({
  title,
  bubbles: nodeTypes.map(({ key, properties }) => {
    return { label: key, lines: shortened(properties.map(describeProperty)), marked: [] }
  }),
  arrows: [],
})

const flags = ['unique', 'indexed', 'required'] as const

/** `title (unique, required)` */
export function describeProperty(property: Model['nodeTypes'][number]['properties'][number]): string {
  const has = flags.filter((flag) => (property as Record<string, unknown>)[flag] === true)
  return has.length === 0 ? property.key : `${property.key} (${has.join(', ')})`
}

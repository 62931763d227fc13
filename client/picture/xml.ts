import { drawable } from './picture.ts'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** A text as the content of an element. */
export const escaped = (text: string, longest?: number): string =>
  drawable(text, longest).replace(/[&<>"']/g, (character) => entities[character] as string)

/** An element of XML, whose content is XML. */
export function element(name: string, attributes: Record<string, string | number>, ...content: string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`)
  const start = `<${name}${written.join('')}`
  return content.length === 0 ? `${start}/>` : `${start}>${content.join('')}</${name}>`
}

import { type Bubble, drawable, longestTitle, type Picture } from './picture.ts'

/** A picture as a flowchart of Mermaid. */
export function mermaidOf({ title, bubbles, arrows }: Picture): string {
  const nameOf = new Map(bubbles.map(({ label }, index) => [label, `n${index + 1}`]))
  const marked = bubbles.filter((bubble) => bubble.marked.length > 0)
  return [
    'flowchart LR',
    `  accTitle: ${escaped(title, longestTitle)}`,
    ...bubbles.map((bubble) => `  ${nameOf.get(bubble.label)}("${bubbleText(bubble)}")`),
    ...arrows.map(({ from, to, text }) => `  ${nameOf.get(from)} -- "${escaped(text)}" --> ${nameOf.get(to)}`),
    ...(marked.length > 0
      ? [
          '  classDef marked stroke:#b3261e,stroke-dasharray:5 3',
          `  class ${marked.map(({ label }) => nameOf.get(label)).join()} marked`,
        ]
      : []),
    '',
  ].join('\n')
}

const bubbleText = ({ label, lines, marked }: Bubble) =>
  [label, ...lines, ...marked].map((line) => escaped(line)).join('<br>')

/** Writes all but letters, digits and spaces as code points, so that no text is read as syntax, HTML or Markdown. */
const escaped = (text: string, longest?: number): string =>
  drawable(text, longest).replace(/[^\p{L}\p{M}\p{N} ]/gu, (character) => `#${character.codePointAt(0)};`)

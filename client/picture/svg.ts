import { type Layout, layoutOf, type Point } from './layout.ts'
import { drawable, longestTitle, type Picture } from './picture.ts'
import { fontSize, lineHeight, margin } from './sizes.ts'

const [ink, line, paper, fill, red] = ['#1b1b1f', '#5b5f6b', '#ffffff', '#eef4ff', '#b3261e']
const cornerRadius = 12

/** A picture as an SVG document, on white. */
export function svgOf(picture: Picture): string {
  const { width, height, bubbles, arrows } = layoutOf(picture)
  const header = 2 * lineHeight
  const size = { width: Math.ceil(width), height: Math.ceil(height + header) }
  const document = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      ...size,
      viewBox: `0 0 ${size.width} ${size.height}`,
      role: 'img',
      'aria-labelledby': 'title description',
      'font-family': 'sans-serif',
      'font-size': fontSize,
      fill: ink,
    },
    element('title', { id: 'title' }, escaped(picture.title, longestTitle)),
    element('desc', { id: 'description' }, describe(picture)),
    element('defs', {}, head),
    element('rect', { ...size, fill: paper }),
    element('text', { x: margin, y: lineHeight + 4, 'font-weight': 'bold' }, escaped(picture.title, longestTitle)),
    element(
      'g',
      { transform: `translate(0 ${header})` },
      ...arrows.map(drawArrow),
      ...arrows.map(drawText),
      ...bubbles.map(drawBubble),
    ),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${document}\n`
}

const head = element(
  'marker',
  {
    id: 'head',
    viewBox: '0 0 10 10',
    refX: 9,
    refY: 5,
    markerWidth: 8,
    markerHeight: 8,
    orient: 'auto-start-reverse',
  },
  element('path', { d: 'M0 0L10 5L0 10z', fill: line }),
)

/** The text for a reader who does not see the picture. */
function describe({ bubbles, arrows }: Picture): string {
  const labels = bubbles.map(({ label, lines, marked }) =>
    [label, ...lines, ...marked].map((text) => escaped(text)).join(', '),
  )
  const types = arrows.map(({ from, to, text }) => `${escaped(from)} ${escaped(text)} ${escaped(to)}`)
  return [...labels, ...types].join('; ')
}

function drawBubble({ bubble, box }: Layout['bubbles'][number]): string {
  const { label, lines, marked } = bubble
  const isMarked = marked.length > 0
  const [left, top] = [box.x - box.width / 2, box.y - box.height / 2]
  const texts = [
    { text: label, style: { 'font-weight': 'bold' } },
    ...lines.map((text) => ({ text, style: {} })),
    ...marked.map((text) => ({ text, style: { fill: red } })),
  ]
  const first = box.y - ((texts.length - 1) * lineHeight) / 2 + fontSize * 0.35
  return element(
    'g',
    {},
    element('rect', {
      x: round(left),
      y: round(top),
      width: round(box.width),
      height: round(box.height),
      rx: 14,
      fill,
      stroke: isMarked ? red : line,
      ...(isMarked ? { 'stroke-dasharray': '5 3' } : {}),
    }),
    ...texts.map(({ text, style }, index) =>
      element(
        'text',
        { x: round(box.x), y: round(first + index * lineHeight), 'text-anchor': 'middle', ...style },
        escaped(text),
      ),
    ),
  )
}

/** A line through its points, with round corners. */
function drawArrow({ points }: Layout['arrows'][number]): string {
  const [first, last] = [points[0], points.at(-1)] as [Point, Point]
  const corners = points.slice(1, -1).map((point, index) => {
    const [before, after] = [points[index], points[index + 2]] as [Point, Point]
    return `L${at(towards(point, before))}Q${at(point)} ${at(towards(point, after))}`
  })
  const path = `M${at(first)}${corners.join('')}L${at(last)}`
  return element('path', { d: path, fill: 'none', stroke: line, 'marker-end': 'url(#head)' })
}

const at = ({ x, y }: Point) => `${round(x)} ${round(y)}`

/** A point near the first one, on the way to the other. */
function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const share = length === 0 ? 0 : Math.min(cornerRadius, length / 2) / length
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}

/** Draws a text over a blank rectangle, because lines behind it would make it hard to read. */
function drawText({ arrow, text: { x, y, width, height } }: Layout['arrows'][number]): string {
  const [left, top] = [round(x - width / 2), round(y - height / 2)]
  return [
    element('rect', { x: left, y: top, width: round(width), height, fill: paper }),
    element('text', { x: round(x), y: round(y + fontSize * 0.35), 'text-anchor': 'middle' }, escaped(arrow.text)),
  ].join('')
}

const round = (value: number): number => Math.round(value * 10) / 10

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** From the first to the last character that is read from right to left, of one name. */
const fromRightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}](?:[^\u00d7,:(){}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}])?/gu

/** A name in its own direction: otherwise a count beside it would change places with it. */
const isolated = (text: string): string => text.replace(fromRightToLeft, (name) => `\u2068${name}\u2069`)

/** A text as the content of an element. */
const escaped = (text: string, longest?: number): string =>
  isolated(drawable(text, longest)).replace(/[&<>"']/g, (character) => entities[character] as string)

/** An element of XML, whose content is XML. */
function element(name: string, attributes: Record<string, string | number>, ...content: string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`)
  const start = `<${name}${written.join('')}`
  return content.length === 0 ? `${start}/>` : `${start}>${content.join('')}</${name}>`
}

import { type Arrow, type Bubble, drawable } from './picture.ts'

// All numbers are pixels.
export const lineHeight = 18
export const fontSize = 13
export const margin = 20
const padding = 14
/** From one loop to the next. */
export const loopStep = 10

export interface Size {
  width: number
  height: number
}

/** A rectangle; `x` and `y` are its middle. */
export interface Box extends Size {
  x: number
  y: number
}

/** About the width of a text; characters of wide scripts are about as wide as they are high. */
export const widthOf = (text: string, longest?: number): number =>
  [...drawable(text, longest)].reduce((sum, character) => sum + (character > '\u2e80' ? 1 : 0.62), 0) * fontSize

export const widest = (arrows: readonly Arrow[]): number => Math.max(0, ...arrows.map(({ text }) => widthOf(text)))

/** The size of a bubble that has these loops below it. */
export function sizeOf({ label, lines, marked }: Bubble, loops: readonly Arrow[]): Size {
  const texts = [label, ...lines, ...marked]
  const width = Math.max(...texts.map((text) => widthOf(text)), widest(loops) + 2 * loopStep * loops.length)
  return { width: width + 2 * padding, height: texts.length * lineHeight + 2 * padding }
}

/** Places boxes in rows, from left to right and from `top` on; no row is wider than `width`, unless one box is. */
export function rowsOf(sizes: readonly Size[], top: number, width: number): Box[] {
  let [left, y, rowHeight] = [margin, top, 0]
  return sizes.map((size) => {
    if (left > margin && left + size.width + margin > width) [left, y, rowHeight] = [margin, y + rowHeight + margin, 0]
    const box = { x: left + size.width / 2, y: y + size.height / 2, ...size }
    left += size.width + margin
    rowHeight = Math.max(rowHeight, size.height)
    return box
  })
}

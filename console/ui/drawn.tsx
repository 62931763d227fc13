import type { Picture } from '../../client/picture/picture.ts'
import { svgOf } from '../../client/picture/svg.ts'

// Nobody can read a picture with more, and its layout takes seconds.
const mostBubbles = 60
const mostArrows = 150

/** A picture, as an image: no markup of its own gets into the page. The tables next to it say the same. */
export function Drawn({ picture }: { picture: Picture }) {
  const { bubbles, arrows, title } = picture
  if (bubbles.length === 0) return null
  if (bubbles.length > mostBubbles || arrows.length > mostArrows) {
    return (
      <p class="quiet">
        {bubbles.length} labels and {arrows.length} types between them are too many for a picture; the table has them
        all.
      </p>
    )
  }
  const url = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(picture))}`
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused region can be scrolled with keys
    <figure tabIndex={0}>
      <img src={url} alt={`${title}: labels and the types between them; the tables below say the same`} />
    </figure>
  )
}

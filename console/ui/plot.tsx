import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import { number } from '../../client/format.ts'

/** What was measured at one moment, in seconds since the epoch. */
export interface Measured {
  at: number
  waiting: number
  running: number
  busy: number
  oldestWaitSeconds: number
}

interface Props {
  title: string
  measured: readonly Measured[]
  lines: readonly (readonly [name: string, field: Exclude<keyof Measured, 'at'>])[]
}

const strokes = ['--accent', '--warn', '--quiet']
const height = 180
const [leastShownSeconds, mostShownSeconds] = [60, 600]

/** The time since the page was opened, within bounds. */
function shownTimes(_plot: unknown, first: number | null): [number, number] {
  const now = Date.now() / 1_000
  const shown = Math.min(mostShownSeconds, Math.max(leastShownSeconds, now - (first ?? now)))
  return [now - shown, now]
}

const colourOf = (at: Element, name: string): string => getComputedStyle(at).getPropertyValue(name)

const valueText = (value: number | null | undefined): string => (value == null ? '–' : number.format(Math.round(value)))

const clock = (seconds: number): string => new Date(seconds * 1_000).toLocaleTimeString('en-GB')

/** A plot of the last minutes. The facts above it say the last values, so it is hidden from readers of text. */
export function Plot({ title, measured, lines }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot | null>(null)
  useEffect(() => {
    const at = place.current as HTMLDivElement
    const ink = getComputedStyle(at).color
    const axis = { stroke: ink, grid: { stroke: `color-mix(in srgb, ${ink} 15%, transparent)` } }
    const times = { ...axis, space: 90, values: (_: unknown, seconds: number[]) => seconds.map(clock) }
    const series = lines.map(([label], index) => ({
      label,
      stroke: colourOf(at, strokes[index] as string),
      width: 2,
      // At the cursor, or else the last value.
      value: (plot: UPlot, value: number | null, _at: number, index: number | null) =>
        valueText(index === null ? plot.data[1 + lines.findIndex(([name]) => name === label)]?.at(-1) : value),
      // A line that lies on another one stays visible.
      dash: index === 0 ? [] : [8 - 2 * index, 4],
    }))
    const scales = {
      x: { range: shownTimes },
      y: { range: (_: unknown, _least: number, most: number): [number, number] => [0, Math.max(4, most * 1.1)] },
    }
    const options = {
      width: at.clientWidth,
      height,
      axes: [times, axis],
      scales,
      series: [{ value: (_: unknown, at: number | null) => clock(at ?? Date.now() / 1_000) }, ...series],
    }
    const made = new UPlot(options, [[], ...lines.map(() => [])], at)
    plot.current = made
    const sized = new ResizeObserver(() => made.setSize({ width: at.clientWidth, height }))
    sized.observe(at)
    return () => {
      sized.disconnect()
      made.destroy()
    }
  }, [])
  useEffect(() => {
    plot.current?.setData([
      measured.map(({ at }) => at),
      ...lines.map(([, field]) => measured.map((one) => one[field])),
    ])
  })
  return (
    <section>
      <h2>{title}</h2>
      <div ref={place} class="plot" aria-hidden="true" />
    </section>
  )
}

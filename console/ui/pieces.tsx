import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { printableLine } from '../../client/context.ts'
import { number } from '../../client/format.ts'
import type { Job } from '../../wire/job.ts'

const icons: Record<Job['state'], string> = {
  queued: '◌',
  running: '◐',
  committing: '◕',
  succeeded: '●',
  failed: '✕',
  cancelled: '⊘',
}

export const State = ({ state }: { state: Job['state'] }) => (
  <span class={`state ${state}`}>
    <span aria-hidden="true">{icons[state]}</span> {state}
  </span>
)

/**
 * A name, or a path of names: each keeps its own direction, because one that is read from right to left would turn
 * those beside it. A line may break after a slash and before the end of a file's name.
 */
export const Name = ({ text }: { text: string }) => (
  <>
    {printableLine(text)
      .split('/')
      .map((segment, at) => {
        const dot = segment.lastIndexOf('.')
        return (
          <Fragment key={at}>
            {at > 0 && (
              <>
                /<wbr />
              </>
            )}
            <bdi>
              {dot > 0 ? segment.slice(0, dot) : segment}
              {dot > 0 && <wbr />}
              {dot > 0 && segment.slice(dot)}
            </bdi>
          </Fragment>
        )
      })}
  </>
)

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })

const dayMs = 86_400_000

/** A time of day, with the day unless that is today: `14:03:22`, `yesterday 23:49:10`, `2026-11-22 08:00:00`. */
export function clockText(at: string): string {
  const time = new Date(at)
  const clock = time.toLocaleTimeString('en-GB')
  const midnight = new Date().setHours(0, 0, 0, 0)
  if (time.getTime() >= midnight && time.getTime() < midnight + dayMs) return clock
  // `sv` writes ISO 8601 in the local zone.
  const day =
    time.getTime() >= midnight - dayMs && time.getTime() < midnight ? 'yesterday' : time.toLocaleDateString('sv')
  return `${day} ${clock}`
}

const [newEveryMs, oldEveryMs, newSeconds] = [1_000, 15_000, 90]

/** How long ago, or in how long; the time itself as a tip, or with `isWhole` beside it. */
export function Time({ at, isWhole = false }: { at: string; isWhole?: boolean }) {
  const [, render] = useState(0)
  const seconds = (Date.parse(at) - Date.now()) / 1_000
  const everyMs = Math.abs(seconds) < newSeconds ? newEveryMs : oldEveryMs
  useEffect(() => {
    const timer = setInterval(() => render((count) => count + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  return (
    <time dateTime={at} title={at}>
      {relative.format(Math.trunc(seconds / size), unit)}
      {isWhole && ` (${clockText(at)})`}
    </time>
  )
}

const saidMs = 3_000

/** A button that copies a text, which is made at the click, to the clipboard. */
export function Copy({ text, children }: { text: () => string; children: ComponentChildren }) {
  const [said, say] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => say(''), saidMs)
    return () => clearTimeout(timer)
  }, [said])
  async function copy(): Promise<void> {
    try {
      // Only addresses that browsers consider secure have a clipboard.
      await navigator.clipboard.writeText(text())
      say('Copied')
    } catch (error) {
      say(error instanceof SyntaxError ? 'Not copied: this is not JSON' : 'Not copied: the browser refused')
    }
  }
  return (
    <span class="copy">
      <button type="button" onClick={copy}>
        {children}
      </button>
      <span role="status">{said}</span>
    </span>
  )
}

interface Column<Row> {
  title: string
  of: (row: Row, index: number) => ComponentChildren
  isNumber?: boolean
  /** Names, which are read more easily on one line. */
  isName?: boolean
}

interface TableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Identifies a row, if rows come and go. */
  keyOf?: (row: Row) => string
  /** Whether rows are as low as their text. */
  isDense?: boolean
}

/** Rows that a table shows at a time. Beyond them a browser takes seconds for its layout, and the page stands still. */
const rowsAtATime = 1_000

/** A table that becomes a list of cards on narrow screens. */
export function Table<Row>({ caption, columns, rows, keyOf, isDense = false }: TableProps<Row>) {
  const [most, setMost] = useState(rowsAtATime)
  const shown = rows.length > most ? rows.slice(0, most) : rows
  const left = rows.length - shown.length
  return (
    <>
      <table class={isDense ? 'dense' : ''}>
        <caption>{printableLine(caption)}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <tr key={keyOf ? keyOf(row) : index}>
              {columns.map(({ title, of, isNumber, isName }) => (
                <td key={title} data-title={title} class={isNumber ? 'number' : isName ? 'name' : ''}>
                  <div>{inOrder(of(row, index))}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <button type="button" class="more" onClick={() => setMost(most + rowsAtATime)}>
          Show {number.format(Math.min(left, rowsAtATime))} more of {number.format(rows.length)}
        </button>
      )}
    </>
  )
}

/** A text without characters that would change the direction of others. */
const inOrder = (cell: ComponentChildren) => (typeof cell === 'string' ? printableLine(cell) : cell)

/** A list of facts, each with its name. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** Says that a list is empty, and shows the command that changes that. */
export const Empty = ({ children, command }: { children: ComponentChildren; command?: string | undefined }) => (
  <div class="empty">
    <p>{children}</p>
    {command && <pre>{command}</pre>}
  </div>
)

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Job } from '../../client/service-types.ts'

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

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })

/** How long ago, or in how long; the time itself as a tip. */
export function Time({ at }: { at: string }) {
  const seconds = (Date.parse(at) - Date.now()) / 1_000
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  return (
    <time dateTime={at} title={at}>
      {relative.format(Math.trunc(seconds / size), unit)}
    </time>
  )
}

const saidMs = 3_000

/** A button that copies a text, which may be long, to the clipboard. */
export function Copy({ text, children }: { text: string; children: ComponentChildren }) {
  const [said, say] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => say(''), saidMs)
    return () => clearTimeout(timer)
  }, [said])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say('Copied'),
      () => say('Not copied: the browser refused'),
    )
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
  of: (row: Row) => ComponentChildren
  isNumber?: boolean
}

/** A table that becomes a list of cards on narrow screens. */
export function Table<Row>(props: { caption: string; columns: readonly Column<Row>[]; rows: readonly Row[] }) {
  const { caption, columns, rows } = props
  return (
    <table>
      <caption>{caption}</caption>
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
        {rows.map((row, index) => (
          <tr key={index}>
            {columns.map(({ title, of, isNumber }) => (
              <td key={title} data-title={title} class={isNumber ? 'number' : ''}>
                <div>{of(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Facts by name. */
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

/** Nothing is there: a sentence, and the command that changes that. */
export const Empty = ({ children, command }: { children: ComponentChildren; command?: string | undefined }) => (
  <div class="empty">
    <p>{children}</p>
    {command && <pre>{command}</pre>}
  </div>
)

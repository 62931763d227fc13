import { Presets, SingleBar } from 'cli-progress'
import { type Output, printableLine } from './context.ts'
import { number } from './format.ts'
import { durationText, remainingSeconds } from './remaining.ts'

export const progressKinds = ['bar', 'plain', 'json', 'none'] as const
export type ProgressKind = (typeof progressKinds)[number]

/** How far a command has come. */
export interface Step {
  done: number
  /** null: not known yet */
  total: number | null
  /** In words: `12,118 pairs in 3 parts`. */
  text: string
  /** What the rate is of, such as pairs; absent: no rate is shown. */
  count?: number
}

export interface Progress {
  update(step: Step): void
  stop(): void
}

const plainSeconds = 5
const jsonSeconds = 1

/** Shows progress on stderr: a bar on a terminal, else a line every five seconds, unless asked otherwise. */
export function startProgress(
  stderr: Output,
  kind: ProgressKind = stderr.isTTY ? 'bar' : 'plain',
  /** Which of several steps of a command this is: `2 of 3, replay`. */
  stage = '',
): Progress {
  if (kind === 'none') return { update() {}, stop() {} }
  const shown = kind === 'bar' ? bar(stderr) : lines(stderr, kind)
  if (stage === '') return shown
  return { ...shown, update: (step) => shown.update({ ...step, text: `${stage}: ${step.text}` }) }
}

const [shortestBar, longestBar, usualColumns] = [10, 40, 80]

/** A line that fits the terminal: bar, percentage, remaining time, rate and text, which is cut if it must be. */
export function progressLine({ done, total, text, count = 0 }: Step, seconds: number, columns: number): string {
  const left = total === null ? null : remainingSeconds(done, total, seconds)
  const share = total ? Math.min(1, done / total) : 0
  const facts = [
    `${Math.floor(share * 100)}%`,
    ...(left === null ? [] : [`${durationText(left)} left`]),
    ...(count > 0 && seconds >= 1 ? [`${number.format(Math.round(count / seconds))}/s`] : []),
    text,
  ].join(' | ')
  const width = Math.max(shortestBar, Math.min(longestBar, columns - 2 - facts.length))
  const full = Math.round(share * width)
  const line = `${'█'.repeat(full)}${'░'.repeat(width - full)} ${facts}`
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`
}

function bar(stderr: Output): Progress {
  const startedAt = performance.now()
  let last: Step = { done: 0, total: null, text: '' }
  const format = () =>
    progressLine(
      last,
      (performance.now() - startedAt) / 1_000,
      (stderr as { columns?: number }).columns || usualColumns,
    )
  const stream = stderr as unknown as NodeJS.WritableStream
  const shown = new SingleBar({ format, stream, hideCursor: true, clearOnComplete: true }, Presets.shades_classic)
  let isShown = false
  return {
    update(step) {
      last = { ...step, text: printableLine(step.text) }
      const { done, total } = step
      if (!isShown) shown.start(total ?? 1, 0)
      isShown = true
      if (total !== null) shown.setTotal(total)
      shown.update(done)
    },
    stop() {
      if (isShown) shown.stop()
    },
  }
}

function lines(stderr: Output, kind: 'plain' | 'json'): Progress {
  let last: Step | null = null
  const show = () => {
    if (last === null) return
    stderr.write(`${printableLine(kind === 'json' ? jsonOf(last) : percentage(last) + last.text)}\n`)
    last = null
  }
  const timer = setInterval(show, (kind === 'json' ? jsonSeconds : plainSeconds) * 1_000)
  return {
    update(step) {
      last = step
    },
    stop() {
      clearInterval(timer)
      if (kind === 'json') show()
    },
  }
}

const jsonOf = ({ done, total, text }: Step) => JSON.stringify({ done, total, text })

const percentage = ({ done, total }: Step) => (total ? `${Math.floor((done / total) * 100)}% | ` : '')

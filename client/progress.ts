import { Presets, SingleBar } from 'cli-progress'
import { type Output, printableLine } from './context.ts'

export const progressKinds = ['bar', 'plain', 'json', 'none'] as const
export type ProgressKind = (typeof progressKinds)[number]

/** How far a command has come. */
export interface Step {
  done: number
  /** null: not known yet */
  total: number | null
  /** In words: `12,118 pairs in 3 parts`. */
  text: string
}

export interface Progress {
  update(step: Step): void
  stop(): void
}

const plainSeconds = 5
const jsonSeconds = 1

/** Shows progress on stderr: a bar on a terminal, else a line every five seconds, unless asked otherwise. */
export function startProgress(stderr: Output, kind: ProgressKind = stderr.isTTY ? 'bar' : 'plain'): Progress {
  if (kind === 'none') return { update() {}, stop() {} }
  return kind === 'bar' ? bar(stderr) : lines(stderr, kind)
}

function bar(stderr: Output): Progress {
  const format = '{bar} {percentage}% | {text}'
  const stream = stderr as unknown as NodeJS.WritableStream
  const shown = new SingleBar({ format, stream, hideCursor: true, clearOnComplete: true }, Presets.shades_classic)
  let isShown = false
  return {
    update({ done, total, ...step }) {
      const text = printableLine(step.text)
      if (!isShown) shown.start(total ?? 1, 0, { text })
      isShown = true
      if (total !== null) shown.setTotal(total)
      shown.update(done, { text })
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
    stderr.write(`${printableLine(kind === 'json' ? JSON.stringify(last) : percentage(last) + last.text)}\n`)
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

const percentage = ({ done, total }: Step) => (total ? `${Math.floor((done / total) * 100)}% | ` : '')

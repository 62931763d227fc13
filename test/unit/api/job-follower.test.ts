import type { Response } from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventStream } from '../../../api/http/event-stream.ts'
import { jobEvents } from '../../../api/jobs/job-events.ts'
import { JobFollower } from '../../../api/jobs/job-follower.ts'
import { type JobRecord, progressOf } from '../../../shared/jobs/job.ts'
import { jobSchema } from '../../../wire/job.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'], now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

const job = (pairs: number, state: JobRecord['state'] = 'running') =>
  ({ id: 'j1', state, progress: { ...progressOf('reading', 1), pairs } }) as JobRecord

/** A follower with a connection that takes whatever is written, until the test says that much is unread. */
function follower() {
  const connection = { text: '', isEnded: false, isCut: false, unread: 0 }
  const response = {
    get writableEnded() {
      return connection.isEnded
    },
    get writableLength() {
      return connection.unread
    },
    req: {
      socket: {
        destroy() {
          connection.isCut = true
        },
      },
    },
    write(text: string) {
      connection.text += text
    },
    end() {
      connection.isEnded = true
    },
  }
  const shown = new JobFollower(new EventStream(response as unknown as Response))
  const take = () => {
    const { text } = connection
    connection.text = ''
    return text
  }
  return { connection, shown, take }
}
const pairsIn = (text: string) =>
  [...text.matchAll(/^event: (\w+)|"pairs":(\d+)/gm)].map(([, name, pairs]) => name ?? pairs)

test('a job is sent when it has changed, twice a second at most', () => {
  const { shown, take } = follower()
  shown.see(job(0))
  expect(pairsIn(take())).toEqual(['job', '0'])
  vi.advanceTimersByTime(100)
  shown.see(job(1))
  expect(take()).toBe('')
  vi.advanceTimersByTime(500)
  shown.see(job(2))
  expect(pairsIn(take())).toEqual(['job', '2'])
  vi.advanceTimersByTime(500)
  shown.see(job(2))
  expect(take()).toBe('')
})

test('the end is sent at once, and nothing after it', () => {
  const { connection, shown, take } = follower()
  shown.see(job(0))
  shown.see(job(1, 'succeeded'))
  expect(pairsIn(take())).toEqual(['job', '0', 'end', '1'])
  expect(connection.isEnded).toBe(true)
  shown.see(job(2, 'succeeded'))
  shown.see(null)
  shown.release()
  vi.advanceTimersByTime(20_000)
  shown.tick()
  expect(take()).toBe('')
})

test('a comment is sent after 15 seconds in which nothing was sent, also before the first event', () => {
  const { shown, take } = follower()
  const passed = (seconds: number) => {
    vi.advanceTimersByTime(seconds * 1_000)
    shown.tick()
    return take()
  }
  expect([passed(14), passed(1), passed(14), passed(1)]).toEqual(['', ': keep-alive\n\n', '', ': keep-alive\n\n'])
  shown.see(job(0))
  take()
  expect([passed(14), passed(1)]).toEqual(['', ': keep-alive\n\n'])
})

test('a stream ends after ten minutes at the latest, and asks the client to connect again', () => {
  const { connection, shown, take } = follower()
  vi.advanceTimersByTime(535_000)
  shown.tick()
  expect([take(), connection.isEnded]).toEqual([': keep-alive\n\n', false])
  vi.advanceTimersByTime(65_000)
  shown.tick()
  expect([take(), connection.isEnded]).toEqual(['retry: 1000\n\n', true])
})

test('a client that has not read 64 KiB is cut instead of being sent more', () => {
  const { connection, shown, take } = follower()
  shown.see(job(0))
  take()
  connection.unread = 64 * 1024 + 1
  vi.advanceTimersByTime(500)
  shown.see(job(1))
  expect([take(), connection.isCut]).toEqual(['', true])
})

test('the documented example has the form of a stream, and valid jobs in it', () => {
  const { events } = jobEvents.answer as { events: string }
  const blocks = events.split('\n\n').filter((text) => text !== '')
  const parsed = blocks.map((text) => /^event: (.*)\nid: [\w-]{16}\ndata: (.*)$/.exec(text) ?? [])
  expect(parsed.map(([, name]) => name)).toEqual(['job', 'end'])
  for (const [, , data = ''] of parsed) expect(jobSchema.parse(JSON.parse(data))).toEqual(JSON.parse(data))
})

import type { Mutant } from '../mutant.ts'

export const callbacks: readonly Mutant[] = [
  {
    file: 'shared/queue/callbacks.ts',
    what: 'a callback that was asked for once more is forgotten',
    from: "if string.find(redis.call('HGET', record, 'callback') or '', '\"state\":\"due\"', 1, true) then return 0 end",
    to: '',
    tests: ['integration/callbacks.delivered'],
  },
  {
    file: 'shared/queue/fair-queueing.ts',
    what: 'callbacks that the queue has lost are never sent when more than 500 are due',
    from: 'missing.push(...some.filter((_, at)',
    to: 'missing.push(...ids.filter((_, at)',
    tests: ['integration/callbacks.delivered'],
  },
  {
    file: 'worker/callbacks/callback-request.ts',
    what: 'the body of a callback is larger than promised',
    from: 'Buffer.byteLength(whole) < limitBytes',
    to: 'whole.length < limitBytes',
    tests: ['unit/worker/callback-request'],
  },
  {
    file: 'worker/callbacks/callback-request.ts',
    what: 'receivers get a part of a body that is not ASCII',
    from: 'String(Buffer.byteLength(body))',
    to: 'String(body.length)',
    tests: ['unit/worker/callback-request'],
  },
  {
    file: 'worker/callbacks/send-callback.ts',
    what: 'callbacks are sent to whoever answers in the place of the receiver',
    from: 'rejectUnauthorized: true',
    to: 'rejectUnauthorized: false',
    tests: ['integration/callbacks.hostile-receivers'],
  },
]

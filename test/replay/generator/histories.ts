import { createRandom } from '../../support/values/random.ts'

/** What one pair of a packet does. */
export type Operation =
  | { kind: 'upsert'; id: string; name: string }
  | { kind: 'delete'; id: string }
  | { kind: 'forget'; id: string }
  | { kind: 'relate'; start: string; end: string; at: number }
  | { kind: 'clean'; id: string; kept: string[] }

export const packets = ['A', 'B'] as const

/** A command: a replay of a packet, or of the undo that the last one of its replays wrote; and what others do before. */
export interface Command {
  others: Operation[]
  packet: (typeof packets)[number]
  what: 'replay' | 'undo'
  stateFile: string
  withUndo: boolean
  /** Whether it names another directory for the undo than the commands before. */
  isNewDirectory: boolean
  restart: boolean
  /** The number of transactions after which it is interrupted; null: it ends. */
  stopAfter: number | null
}

/** Two packets, in parts, that change the same elements, and commands that replay and undo them. */
export interface History {
  packets: Record<Command['packet'], Operation[][]>
  before: Operation[]
  inOrder: boolean
  commands: Command[]
}

const ids = Array.from({ length: 10 }, (_, index) => `n${index}`)

export function historyOf(seed: number): History {
  const random = createRandom(seed)
  const chance = (probability: number) => random() < probability
  const below = (count: number) => Math.floor(random() * count)

  /** No two operations contradict each other, so their order does not matter. */
  function operationsOf(name: string, mostDeleted: number): Operation[] {
    const deleted = ids.filter(() => chance(mostDeleted))
    const alive = ids.filter((id) => !deleted.includes(id))
    const upserted = alive.filter(() => chance(0.7))
    const forgotten = alive.filter((id) => !upserted.includes(id) && chance(0.5))
    const related = alive.flatMap((start) => alive.filter(() => chance(0.15)).map((end) => ({ start, end })))
    const cleaned = ids.filter(() => chance(0.5))
    return [
      ...upserted.map((id) => ({ kind: 'upsert' as const, id, name: `${name}${below(3)}` })),
      ...related.map((ends) => ({ kind: 'relate' as const, ...ends, at: below(100) })),
      ...deleted.map((id) => ({ kind: 'delete' as const, id })),
      ...forgotten.map((id) => ({ kind: 'forget' as const, id })),
      ...cleaned.map((id) => {
        const kept = related.filter(({ start }) => start === id).map(({ end }) => end)
        return { kind: 'clean' as const, id, kept: ['none', ...kept] }
      }),
    ]
  }

  const inParts = (operations: Operation[]) => {
    const parts: Operation[][] = [[], [], [], []]
    for (const operation of operations) parts[below(parts.length)]?.push(operation)
    return parts
  }
  const commands = Array.from({ length: 8 }, (): Command => {
    const packet = chance(0.85) ? 'A' : 'B'
    return {
      others: chance(0.2) ? operationsOf('other', 0.2) : [],
      packet,
      what: chance(0.25) ? 'undo' : 'replay',
      stateFile: chance(0.9) ? 'one' : 'another',
      withUndo: chance(0.6),
      isNewDirectory: chance(0.1),
      restart: chance(0.1),
      stopAfter: chance(0.5) ? 1 + below(8) : null,
    }
  })
  // A wrong undo that an earlier command has left shows here.
  const whole = { others: [], packet: 'A' as const, stateFile: 'one', withUndo: true, restart: false, stopAfter: null }
  commands.push({ ...whole, what: 'replay', isNewDirectory: false }, { ...whole, what: 'undo', isNewDirectory: false })
  return {
    packets: { A: inParts(operationsOf('a', 0.2)), B: inParts(operationsOf('b', 0.2)) },
    before: operationsOf('old', 0).filter(({ kind }) => kind === 'upsert' || kind === 'relate'),
    inOrder: chance(0.2),
    commands,
  }
}

/** A line for each command. */
export const describeHistory = ({ commands, inOrder }: History): string =>
  [
    `inOrder ${inOrder}`,
    ...commands.map(({ others, ...command }) => JSON.stringify({ ...command, others: others.length })),
  ].join('\n')

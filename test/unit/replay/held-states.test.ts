import fc from 'fast-check'
import { expect, test } from 'vitest'
import { begun, ended, fits, type Held, isOfChain, type Step } from '../../../client/replay/base/held.ts'

/** A state: the values of a few elements. */
type State = Record<string, number>

const textOf = (state: State) => JSON.stringify(Object.entries(state).sort())
const anyState = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(2))

/** What a replay writes: null deletes. A whole packet deletes nothing. */
const changesOf = (from: State | null, to: State): (readonly [string, number | null])[] => [
  ...Object.entries(to).filter(([id, value]) => from?.[id] !== value),
  ...Object.keys(from ?? {}).flatMap((id) => (id in to ? [] : [[id, null] as const])),
]

test('a target has the state of a delta after each replay that is not refused, whatever was replayed or killed before', () => {
  // A replay of a packet that is whole, or leads from one state to another; `killed`: how many changes it makes.
  const replays = fc.array(
    fc.record({ from: fc.option(fc.nat(3)), to: fc.nat(3), killed: fc.option(fc.nat(4)), seed: fc.nat() }),
    { maxLength: 12 },
  )
  let [accepted, continued] = [0, 0]
  fc.assert(
    fc.property(fc.uniqueArray(anyState, { minLength: 4, maxLength: 4, selector: textOf }), replays, (states, all) => {
      const target: State = {}
      let held: Held | null = null
      for (const { from, to, killed, seed } of all) {
        const [before, after] = [from === null ? null : (states[from] as State), states[to] as State]
        const base = before && { packet: 'p', state: textOf(before) }
        const step: Step = { name: 'p', base, to: textOf(after), isUndo: false }
        if (base && !(held && isOfChain(held, step) && fits(held, step))) continue
        if (base) accepted++
        if (base && held?.to) continued++
        held = begun(held, step)
        const changes = changesOf(before, after)
        // In any order.
        const rotated = [
          ...changes.slice(seed % (changes.length + 1)),
          ...changes.slice(0, seed % (changes.length + 1)),
        ]
        for (const [id, value] of rotated.slice(0, killed ?? rotated.length)) {
          if (value === null) delete target[id]
          else target[id] = value
        }
        if (killed !== null && killed < changes.length) continue
        held = ended(held, step)
        expect(target).toMatchObject(after)
        for (const id of Object.keys(before ?? {})) if (!(id in after)) expect(target).not.toHaveProperty(id)
      }
    }),
    { numRuns: 3_000 },
  )
  expect(accepted).toBeGreaterThan(500)
  expect(continued).toBeGreaterThan(20)
})

test('a delta is accepted again when it has ended, and continued when it has not; another one is refused', () => {
  const step = (from: string, to: string): Step => ({
    name: 'd',
    base: { packet: 'p', state: from },
    to,
    isUndo: false,
  })
  const held = (state: string | null, to: string | null): Held => ({ root: 'p', packet: 'p', state, to })
  const accepted = (it: Held) =>
    ['s0 s1', 's1 s0', 's1 s2', 's0 s9'].filter((one) => fits(it, step(...(one.split(' ') as [string, string]))))
  expect(accepted(held('s0', null))).toEqual(['s0 s1', 's1 s0', 's0 s9'])
  expect(accepted(held('s1', null))).toEqual(['s0 s1', 's1 s0', 's1 s2'])
  expect(accepted(held('s0', 's1'))).toEqual(['s0 s1', 's1 s0'])
  expect(accepted(held(null, 's1'))).toEqual([])
})

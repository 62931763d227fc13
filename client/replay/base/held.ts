import type { PacketSource } from '../source/load-part.ts'

/**
 * What a target is known to have: the state that a packet leads to. A state is named by its digest, see the manifest,
 * contract 7.12. `packet` and `root` are names of packets: of the one replayed last, and of the whole one that began the
 * chain of packets.
 */
export interface Held {
  root: string
  packet: string
  /** Null if it is not known: a whole packet is being replayed. */
  state: string | null
  /** The state that a replay leads to which has begun and not ended; null if none has. */
  to: string | null
}

/** What a replay does to the state of a target. */
export interface Step {
  name: string
  /** The packet that the target must have; null if the replay needs none. */
  base: { packet: string; state: string } | null
  /** The state that the replay leads to; null if it leads to none that is known. */
  to: string | null
  /** Whether it undoes another replay, whatever the target has. */
  isUndo: boolean
}

/** What a replay of this packet does to the state of a target; null if the packet is not part of a chain. */
export function stepOf({ name, sha256, chain }: PacketSource): Step | null {
  if (!chain || (chain.base === null && chain.state === null && chain.undoes === null)) return null
  const { packet = name, base, state, undoes } = chain
  if (undoes !== null) return { name: packet, base: { packet, state: undoes.to }, to: undoes.from, isUndo: true }
  // A packet without a state of its own is told apart by its digest.
  return { name: packet, base, to: state ?? sha256, isUndo: false }
}

/**
 * Whether the target has the base of a delta. It may have begun the delta already, or a delta between the same two
 * states: all that differs between them is in either. It may also have the state that the delta leads to.
 */
export function fits({ state, to }: Held, { base, to: next }: Step): boolean {
  const from = base?.state ?? null
  if (to === null) return state === from || state === next
  return state !== null && ((state === from && to === next) || (state === next && to === from))
}

/** Whether a target has, or is about to get, the state that an undo takes away. */
export const isToUndo = ({ state, to }: Held, { base }: Step): boolean => state === base?.state || to === base?.state

/** Whether a packet belongs to the chain of what the target has, by its name or by that of its base. */
export const isOfChain = ({ root, packet }: Held, { name, base }: Step): boolean =>
  base === null ? root === name || packet === name : packet === base.packet || root === base.packet

/** What the target has while the replay runs. */
export function begun(held: Held | null, { name, base, to }: Step): Held {
  if (base === null) return { root: name, packet: name, state: null, to }
  const { root = base.packet, packet = base.packet } = held ?? {}
  // The target keeps what it has already.
  if (held?.state === to && held.to === null) return held
  return { root, packet, state: base.state, to: to ?? unknownState }
}

/** What the target has when the replay has ended; null: nothing that is known. */
export const ended = ({ root, packet }: Held, { name, to, isUndo }: Step): Held | null =>
  to === null ? null : { root, packet: isUndo ? packet : name, state: to, to: null }

/** Stands for the state of a target before a replay that is undone, if nobody knows it. */
const unknownState = 'unknown'

/** For messages. */
export function describe({ packet, state, to }: Held): string {
  const short = (digest: string) => digest.slice(0, 12)
  if (to === null) return `the state ${short(state ?? '')} of ${packet}`
  return `a replay that has not ended, from the state ${short(state ?? 'unknown')} to ${short(to)}`
}

import type { PacketMasking } from '../../../wire/manifest.ts'
import * as errors from '../../errors/catalogue.ts'
import type { PublishRequest } from '../../request/fields.ts'
import type { Generations } from '../../storage/generations.ts'
import { packetName } from '../../storage/keys.ts'
import type { StoredState } from '../../storage/manifest.ts'
import { type Indices, indicesOf, textOfIndices } from './stored.ts'

/** A packet that the target of another one has. */
export interface Base {
  fileName: string
  generation: number
  state: StoredState
}

/**
 * The packet that a publish names as its base, as it is now. Contract 4.23.
 * @throws unusableBase (409) if there is none, or if it cannot be a base of these requests
 */
export async function findBase(
  generations: Generations,
  orgName: string,
  fileName: string,
  { requests, masking }: { requests: readonly PublishRequest[]; masking: PacketMasking | null },
): Promise<Base> {
  const current = await generations.current(packetName(orgName, fileName))
  if (current === null) throw errors.unusableBase(fileName, 'does not exist in this org')
  const base = { fileName, generation: current.generation, state: stateOf(fileName, current.manifest.state) }
  // Otherwise the base names nodes by ids that this packet must not show, or does not have.
  const { masking: made = null } = current.manifest.content as { masking?: PacketMasking }
  if (made?.sha256 !== masking?.sha256 || made?.key !== masking?.key)
    throw errors.unusableBase(fileName, 'was made with other masks, or another key of them')
  // Constraints of the origin stand for what is absent: a run compares those.
  const isComplete = requests.every(({ mappedIndices }) => mappedIndices !== undefined)
  if (isComplete) requireIndices(base, indicesOf(requests))
  return base
}

/** The base of a job, as it was at submission. @throws unusableBase (409) if it has been removed since */
export async function readBase(
  generations: Generations,
  orgName: string,
  { fileName, generation }: Omit<Base, 'state'>,
): Promise<Base> {
  const manifest = await generations.read(packetName(orgName, fileName), generation)
  if (manifest === null) throw errors.unusableBase(fileName, 'has been removed')
  return { fileName, generation, state: stateOf(fileName, manifest.state) }
}

function stateOf(fileName: string, state: StoredState | undefined): StoredState {
  if (state === undefined) throw errors.unusableBase(fileName, 'has no index: it was not published with asBase or base')
  return state
}

/** @throws unusableBase (409) if the base identifies nodes otherwise: a deletion could find the wrong ones */
export function requireIndices({ fileName, state }: Base, indices: Indices): void {
  if (state.indices !== textOfIndices(indices)) throw errors.unusableBase(fileName, 'was made with other mappedIndices')
}

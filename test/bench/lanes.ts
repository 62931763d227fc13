import { memoryLanes } from './memory-lanes.ts'
import { mockOriginLanes } from './mock-origin-lanes.ts'
import { profileLane } from './profile-lane.ts'
import { publishLanes } from './publish-lanes.ts'
import { readLanes } from './read-lanes.ts'
import type { Measured } from './results.ts'
import type { Setting } from './setting.ts'
import { slowStoreLanes } from './slow-store-lanes.ts'
import { submitLanes } from './submit-lanes.ts'

/** One way of doing something, measured once a round. */
export interface Lane {
  name: string
  what: string
  /** What its number of statements counts. */
  unit: string
  /** Rounds after which enough is known, however many are asked for. */
  most?: number
  measure(setting: Setting): Promise<Measured>
}

/** In the order in which a round goes through them. */
export const lanes: readonly Lane[] = [
  ...readLanes,
  ...publishLanes,
  ...memoryLanes,
  ...slowStoreLanes,
  ...submitLanes,
  ...mockOriginLanes,
  profileLane,
]

import { memoryLanes } from './memory-lanes.ts'
import { mockOriginLanes } from './mock-origin-lanes.ts'
import { profileLane } from './profile-lane.ts'
import { publishLanes } from './publish-lanes.ts'
import { readLanes } from './read-lanes.ts'
import { replayLanes } from './replay-lanes.ts'
import { restoreLanes } from './restore-lanes.ts'
import type { Measured } from './results.ts'
import type { Setting } from './setting.ts'
import { slowStoreLanes } from './slow-store-lanes.ts'
import { smallLanes } from './small-lanes.ts'
import { startLanes } from './start-lanes.ts'
import { submitLanes } from './submit-lanes.ts'
import { wholeJobLanes } from './whole-job-lanes.ts'

/** A way to do something, measured once per round. */
export interface Lane {
  name: string
  what: string
  /** The unit of `statements`. */
  unit: string
  /** Limit of rounds when all lanes are measured, as more would take too long. A named lane takes all rounds. */
  most?: number
  measure(setting: Setting): Promise<Measured>
}

/** In execution order. */
export const lanes: readonly Lane[] = [
  ...readLanes,
  ...publishLanes,
  ...memoryLanes,
  ...slowStoreLanes,
  ...submitLanes,
  ...smallLanes,
  ...startLanes,
  ...mockOriginLanes,
  ...replayLanes,
  ...wholeJobLanes,
  ...restoreLanes,
  profileLane,
]

import type { Situation } from './situations.ts'
import { situationsOfOrigins } from './situations-of-origins.ts'
import { situationsOfRequests } from './situations-of-requests.ts'
import { situationsOfSizes } from './situations-of-sizes.ts'
import { situationsOfTargets } from './situations-of-targets.ts'

/** All situations that generated cases must show. */
export const situations: Situation[] = [
  ...situationsOfOrigins,
  ...situationsOfTargets,
  ...situationsOfRequests,
  ...situationsOfSizes,
]

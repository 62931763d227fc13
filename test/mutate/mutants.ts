import type { Mutant } from './mutant.ts'
import { api } from './mutants/api.ts'
import { auth } from './mutants/auth.ts'
import { callbacks } from './mutants/callbacks.ts'
import { convert } from './mutants/convert.ts'
import { cypher } from './mutants/cypher.ts'
import { deltas } from './mutants/deltas.ts'
import { jobScripts } from './mutants/job-scripts.ts'
import { jobs } from './mutants/jobs.ts'
import { manager } from './mutants/manager.ts'
import { masks } from './mutants/masks.ts'
import { origin } from './mutants/origin.ts'
import { packstream } from './mutants/packstream.ts'
import { publishBuild } from './mutants/publish-build.ts'
import { publishModel } from './mutants/publish-model.ts'
import { publishPairs } from './mutants/publish-pairs.ts'
import { publishParts } from './mutants/publish-parts.ts'
import { publishRead } from './mutants/publish-read.ts'
import { publishRequest } from './mutants/publish-request.ts'
import { redis } from './mutants/redis.ts'
import { replay } from './mutants/replay.ts'
import { replayUndo } from './mutants/replay-undo.ts'
import { slices } from './mutants/slices.ts'
import { storage } from './mutants/storage.ts'
import { valuesAndRows } from './mutants/values-and-rows.ts'
import { worker } from './mutants/worker.ts'

export const mutants: readonly Mutant[] = [
  ...convert,
  ...cypher,
  ...packstream,
  ...valuesAndRows,
  ...auth,
  ...api,
  ...origin,
  ...publishRequest,
  ...publishRead,
  ...publishModel,
  ...publishPairs,
  ...publishParts,
  ...publishBuild,
  ...replayUndo,
  ...deltas,
  ...masks,
  ...manager,
  ...storage,
  ...jobs,
  ...jobScripts,
  ...slices,
  ...callbacks,
  ...worker,
  ...redis,
  ...replay,
]

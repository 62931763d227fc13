import type { Mutant } from './mutant.ts'
import { auth } from './mutants/auth.ts'
import { cypher } from './mutants/cypher.ts'
import { jobs } from './mutants/jobs.ts'
import { origin } from './mutants/origin.ts'
import { publishBuild } from './mutants/publish-build.ts'
import { publishModel } from './mutants/publish-model.ts'
import { publishPairs } from './mutants/publish-pairs.ts'
import { publishParts } from './mutants/publish-parts.ts'
import { publishRead } from './mutants/publish-read.ts'
import { publishRequest } from './mutants/publish-request.ts'
import { replay } from './mutants/replay.ts'
import { replayUndo } from './mutants/replay-undo.ts'
import { storage } from './mutants/storage.ts'
import { worker } from './mutants/worker.ts'

export const mutants: readonly Mutant[] = [
  ...cypher,
  ...auth,
  ...origin,
  ...publishRequest,
  ...publishRead,
  ...publishModel,
  ...publishPairs,
  ...publishParts,
  ...publishBuild,
  ...replayUndo,
  ...storage,
  ...jobs,
  ...worker,
  ...replay,
]

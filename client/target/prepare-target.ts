import type { PublishFields } from '../../shared/request/fields.ts'
import type { DryRun } from '../../wire/dry-run.ts'
import type { Context } from '../context.ts'
import { openGuard } from '../replay/base/guard.ts'
import type { Uniqueness } from '../replay/preflight/constraints.ts'
import { createMissing, preflight } from '../replay/preflight/preflight.ts'
import type { Target } from '../replay/replay.ts'
import { atTarget } from '../replay/run/connection.ts'
import { identitiesIn } from '../replay/source/identities-in.ts'
import type { PacketSource } from '../replay/source/load-part.ts'
import type { Client } from '../service/client.ts'
import { ServiceError } from '../service/service-error.ts'
import { type ReplayingOptions, recordFileOf } from './replaying.ts'

/**
 * Finds out, before there is a packet, whether a target can be written and has the constraints that the packet will
 * need, and creates those that it lacks. Only if it lacks one that `mappedIndices` names, or others may be needed,
 * a dry run says which are needed. `base`: a delta that stands for the packet, to check that the target has its base.
 * @throws ReplayError
 */
export const prepareTarget = (
  { signal }: Context,
  client: Client,
  target: Target,
  requests: readonly PublishFields[],
  force: boolean,
  options: ReplayingOptions,
  base: PacketSource | null,
): Promise<void> =>
  atTarget(target, 'write', signal, async (connection) => {
    const named = requests.flatMap(({ mappedIndices }) => identitiesIn(mappedIndices))
    const mapped = [...new Map(named.map((one) => [JSON.stringify(one), one])).values()]
    const { useful, databaseId } = await preflight(connection, [], {}, signal, mapped)
    if (base !== null) {
      const { ignoreBase } = options
      await openGuard(
        connection,
        base,
        { recordFile: recordFileOf(target, options.state), ignoreBase },
        databaseId,
        signal,
      )
    }
    // A model, or the constraints of the origin, name identities that the requests do not.
    const isBound = requests.some(
      (request) => (request.model ?? null) !== null || (request.mappedIndices ?? null) === null,
    )
    if (options.withoutConstraints || (useful.length === mapped.length && !isBound)) return
    const needed = await neededBy(client, requests, force, signal)
    await createMissing(connection, await preflight(connection, needed, options, signal), signal)
  })

/** The constraints that a dry run finds; none if there is no dry run, or the publish would be refused. */
async function neededBy(
  client: Client,
  requests: readonly PublishFields[],
  force: boolean,
  signal: AbortSignal,
): Promise<readonly Uniqueness[]> {
  const query = { dryRun: true, forceOverwrite: force || undefined }
  // A dry run takes no base. A delta needs no other constraints than the whole packet.
  const body = requests.map(({ base: _, deleteMissing: __, asBase: ___, ...request }) => request)
  const answer = await client
    .ask<{ dryRun?: DryRun }>('POST', '/1.0/publish/multi', { query, body, signal })
    .catch((error) => {
      // The publish says what is wrong, or succeeds without a dry run.
      if (error instanceof ServiceError) return { dryRun: undefined }
      throw error
    })
  const { dryRun } = answer
  return dryRun === undefined || dryRun.wouldConflict ? [] : dryRun.requires.constraints
}

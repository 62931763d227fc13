import { createRecogniser } from '../../../shared/packet/recognise.ts'
import { type PreflightSettings, preflight } from '../preflight/preflight.ts'
import { survey } from '../preflight/survey.ts'
import { connect, type Target } from '../run/connection.ts'
import { interruptible } from '../run/interruptible.ts'
import type { PacketSource } from '../source/packet-source.ts'
import type { VerifyReport } from './report.ts'
import { type VerifyOptions, verify } from './verify.ts'

export type DryRunOptions = VerifyOptions & Pick<PreflightSettings, 'createConstraints' | 'withoutConstraints'>

/**
 * Says what a replay would change, and writes nothing: its checks before the first write, then a comparison.
 * `missingConstraints` are the constraints that the replay would create.
 * @throws ReplayError as the replay would before its first write
 */
export function dryRun(source: PacketSource, target: Target, options: DryRunOptions): Promise<VerifyReport> {
  return interruptible(options.signal, 'interrupted', async () => {
    const missingConstraints = await missingAt(source, target, options)
    return { ...(await verify(source, target, options)), missingConstraints }
  })
}

async function missingAt(source: PacketSource, target: Target, options: DryRunOptions) {
  const { signal } = options
  const { needed } = await survey(source, { recognise: createRecogniser() }, signal)
  const connection = connect(target)
  try {
    const { missing } = await preflight(connection, needed, options, signal)
    return missing
  } finally {
    await connection.close()
  }
}

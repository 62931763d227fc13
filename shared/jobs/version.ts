/**
 * Version of the data that programs exchange: the queue's payloads, and a job's record, request and plan, which are
 * written together. Raise it with any change that an older worker would misread, then deploy in any order: older
 * workers hand newer jobs back until they are replaced. A newer worker must run jobs of the previous version, because
 * some are waiting, and must not change the data that slices of one job exchange. `test/unit/jobs/version.test.ts`
 * lists the fields of a stored request for each version.
 */
export const jobVersion = 4

/** Data that only a newer program understands. Workers leave such a job to newer ones. */
export class NewerVersionError extends Error {}

/** @throws {NewerVersionError} when a newer program wrote it. */
export function requireKnownVersion({ version }: { version: number }): void {
  if (version > jobVersion) throw new NewerVersionError(`version ${version}; this program knows ${jobVersion}`)
}

/** @throws {NewerVersionError} when one of the fields is not known here, although the version is. */
export function requireKnownFields(fields: Iterable<string>, known: ReadonlySet<string>): void {
  for (const field of fields) if (!known.has(field)) throw new NewerVersionError(`unknown field ${field}`)
}

/**
 * Version of the data that programs exchange: the queue's payloads, and a job's record, request and plan, which are
 * written together. Raise it with any change that an older worker would misread, then deploy in any order: older
 * workers hand newer jobs back until they are replaced. A newer worker must run jobs of the previous version, because
 * some are waiting, and must not change the data that slices of one job exchange. `test/unit/jobs/version.test.ts`
 * lists the fields of a stored request for each version.
 *
 * Version 6 has plans whose views are not completed by the model that the requests are bound to.
 *
 * Version 5 has jobs whose parts are stored compressed.
 *
 * Version 4 has requests that are bound to a model, and jobs whose packets expire.
 *
 * Version 3 has requests with a database, with bookmarks, and with the scheme `neo4j`.
 *
 * Version 2 names generations differently (`storage/keys.ts`). It reads those of version 1, but not vice versa: stop
 * all programs of version 1, including APIs, before starting the first of version 2.
 */
export const jobVersion = 6

/** Data that only a newer program understands. Workers leave such a job to newer ones. */
export class NewerVersionError extends Error {}

/** Data without a version predates versioning. @throws {NewerVersionError} when a newer program wrote it. */
export function requireKnownVersion({ version = 1 }: { version?: number }): void {
  if (version > jobVersion) throw new NewerVersionError(`version ${version}; this program knows ${jobVersion}`)
}

/** @throws {NewerVersionError} when one of the fields is not known here, although the version is. */
export function requireKnownFields(fields: Iterable<string>, known: ReadonlySet<string>): void {
  for (const field of fields) if (!known.has(field)) throw new NewerVersionError(`unknown field ${field}`)
}

/**
 * Version of the data that programs exchange: the queue's payloads, and a job's record, request and plan, which are
 * written together. Raise it with any change that an older worker would misread, then deploy in any order: older
 * workers hand newer jobs back until they are replaced. A newer worker must run jobs of the previous version, because
 * some are waiting, and must not change the data that slices of one job exchange.
 *
 * Version 2 names generations differently (`storage/keys.ts`). It reads those of version 1, but not vice versa: stop
 * all programs of version 1, including APIs, before starting the first of version 2.
 */
export const jobVersion = 2

/** Whether a newer program wrote it. Data without a version predates versioning. */
export const isNewer = ({ version = 1 }: { version?: number }): boolean => version > jobVersion

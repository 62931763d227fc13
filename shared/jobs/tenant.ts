/** Limits of the queue and of the slots hold for an org together with its sub-directories: its first segment. */
export const tenantOf = (orgName: string): string => orgName.split('/')[0] as string

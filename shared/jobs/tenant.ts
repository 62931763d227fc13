/** The first segment of an org's name. An org and its sub-directories share their limits of the queue and of slots. */
export const tenantOf = (orgName: string): string => orgName.split('/')[0] as string

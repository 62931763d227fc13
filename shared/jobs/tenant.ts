/** The first segment of an org's name. An org and its sub-directories share the limits of the queue and the slots. */
export const tenantOf = (orgName: string): string => orgName.split('/')[0] as string

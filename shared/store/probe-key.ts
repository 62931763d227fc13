/** Prefix of the objects by which a program tries the store when it starts. A sweep removes those that were left. */
export const probes = '.probe/'

export const probeKey = (id: string): string => `${probes}${id}`

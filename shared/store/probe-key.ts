/** Prefix of the objects with which a program tests the store at start. A sweep removes leftover ones. */
export const probes = '.probe/'

export const probeKey = (id: string): string => `${probes}${id}`

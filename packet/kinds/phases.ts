/**
 * Each phase of a replay ends before the next begins. In the first, transactions lock no nodes but those that their pairs
 * name. Pairs do not depend on order, so this changes no result. Contract 5, order independence.
 */
export const phases = [
  { name: 'elements', isSerial: false },
  // Deletes lock everything attached to their nodes, so no choice of lanes avoids conflicts. One lane runs them all.
  { name: 'nodeDeletes', isSerial: true },
  // These find only nodes that are there, and the first phase may create them.
  { name: 'relationshipCreates', isSerial: false },
  { name: 'cleanups', isSerial: false },
] as const

export type Phase = (typeof phases)[number]['name']

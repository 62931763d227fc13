/**
 * Each phase of a replay ends before the next begins. In those with several lanes, except cleanups, transactions lock no
 * nodes but those that their pairs name. Pairs do not depend on order, so this changes no result. Contract 5, order
 * independence.
 */
export const phases = [
  // First, because a deleted node may have a unique value that an upsert sets. Deletes lock everything attached to their
  // nodes, so no choice of lanes avoids conflicts. One lane runs them all.
  { name: 'nodeDeletes', isSerial: true },
  { name: 'elements', isSerial: false },
  // These find only nodes that are there, and the phase before may create them.
  { name: 'relationshipCreates', isSerial: false },
  { name: 'cleanups', isSerial: false },
  // Each pair names many nodes.
  { name: 'relationshipDeletes', isSerial: true },
] as const

export type Phase = (typeof phases)[number]['name']

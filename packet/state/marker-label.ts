/** The label of the nodes that say which states a target has (`packets replay --record`). No packet speaks of them. */
export const markerLabel = 'PacketsState'

/**
 * The node or relationship that a variable holds, whose properties are then read from the store. After a search by an
 * index, Neo4j answers the property searched by, even inside of the node, with the value searched for: 5 for 5.0.
 */
export const asStored = (variable: string): string => `[${variable}][0]`

/**
 * The node or relationship in a variable, as an expression that makes Neo4j read its properties from the store. After
 * a search by an index, Neo4j would return the value searched for instead, even inside the node: 5 for 5.0.
 */
export const asStored = (variable: string): string => `[${variable}][0]`

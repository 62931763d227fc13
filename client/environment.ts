/** The variables that the client reads. The secrets among them may come from files or a terminal instead. */
export const variableNames = [
  'PACKETS_URL',
  'PACKETS_TOKEN',
  'PACKETS_TARGET_PASSWORD',
  'PACKETS_ORIGIN_URL',
  'PACKETS_ORIGIN_USER',
  'PACKETS_ORIGIN_PASSWORD',
] as const

export type Environment = Partial<Record<(typeof variableNames)[number], string>>

/** The only reader of `process.env` in the client. An empty variable counts as absent. */
export function readEnvironment(variables: Record<string, string | undefined> = process.env): Environment {
  return Object.fromEntries(variableNames.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])))
}

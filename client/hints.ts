const hints = [
  [' and forceOverwrite is not true', '; pass --force to replace it'],
  ['create it with POST /1.0/publish/{orgName}', 'create it with packets create, or use a token that may see it'],
] as const

/** A message of the service with what this client offers in place of what the service does. */
export const inClientsWords = (message: string): string =>
  hints.reduce((text, [ofService, ofClient]) => text.replace(ofService, ofClient), message)

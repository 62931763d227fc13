const hints = [
  [' and forceOverwrite is not true', '; pass --force to replace it'],
  [' has no index: it was not published with asBase or base', ' has no index; publish it again with --force --as-base'],
  ['; a larger atMost allows it', '; --delete-missing=SHARE allows a larger share, 1 for all'],
  ['orgName: required in at least one sub-request unless returnOnly is true', 'orgName: required; pass --org'],
  ['fileName: required in at least one sub-request unless returnOnly is true', 'fileName: required; pass --name'],
  ['create it with POST /1.0/publish/{orgName}', 'create it with packets create, or use a token that may see it'],
] as const

/** A message of the service with what this client offers in place of what the service does. */
export const inClientsWords = (message: string): string =>
  hints.reduce((text, [ofService, ofClient]) => text.replace(ofService, ofClient), message)

const schemes = ['redis:', 'rediss:', 'redis+sentinel:', 'rediss+sentinel:']
const sentinelPort = 26_379
const parameters = ['sentinelUsername', 'sentinelPassword']

/** Where Redis is. `sentinel`: the group of a `redis+sentinel://` URL; null: the URL names Redis itself. Contract 11. */
export interface RedisAddress {
  url: string
  sentinel: SentinelGroup | null
}

/** Parses `REDIS_URL`. @throws {Error} naming the rule, never the URL, which may hold passwords. */
export function parseRedisAddress(url: string): RedisAddress {
  const scheme = /^([a-z+]+:)\/\/[^/]/.exec(url)?.[1] ?? ''
  if (scheme.endsWith('+sentinel:')) return { url, sentinel: parseGroup(url) }
  const parsed = URL.parse(url)
  if (!schemes.includes(scheme) || parsed === null) {
    const [last, ...others] = schemes.map((one) => `${one}//`).reverse()
    throw new Error(`must be a URL starting with ${others.reverse().join(', ')} or ${last}`)
  }
  const { pathname, search, hash, username, password } = parsed
  if (!/^(\/\d*)?$/.test(pathname) || hash !== '') throw new Error('must have no path except the number of a database')
  // The client would take a query as options, and prefer them to the options that the programs set.
  if (search !== '' || url.includes('?')) throw new Error('must have no query')
  for (const part of [username, password]) decoded(part)
  return { url, sentinel: null }
}

const group =
  /^(rediss?)\+sentinel:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#\s]+)\/([^/?#\s]+)(?:\/(\d{1,5}))?(?:\?([^#]*))?$/

/** A primary with replicas, whose address the Sentinels know. */
export type SentinelGroup = ReturnType<typeof parseGroup>

function parseGroup(url: string) {
  const [, scheme, username, password, hosts = '', name = '', database = '0', query = ''] = group.exec(url) ?? []
  if (scheme === undefined) {
    throw new Error(
      'must have the form redis+sentinel://user:password@host:port,host:port/name/database, where only a host and the name are required',
    )
  }
  const [sentinelUsername = null, sentinelPassword = null] = parametersOf(query)
  return {
    sentinels: hosts.split(',').map(parseHost),
    // The name under which the Sentinels monitor the primary.
    name: decoded(name),
    database: Number(database),
    username: username ? decoded(username) : null,
    password: password ? decoded(password) : null,
    sentinelUsername,
    sentinelPassword,
    // Whether Redis and the Sentinels use TLS.
    hasTls: scheme === 'rediss',
  }
}

function parametersOf(query: string): (string | undefined)[] {
  const given = new Map<string, string>()
  for (const pair of query === '' ? [] : query.split('&')) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(pair) ?? []
    if (!parameters.includes(name) || given.has(name)) {
      throw new Error(`may have the parameters ${parameters.join(' and ')} only, each once`)
    }
    given.set(name, decoded(value))
  }
  return parameters.map((name) => given.get(name))
}

function parseHost(text: string): { host: string; port: number } {
  const [, host, port = String(sentinelPort)] = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? []
  if (host === undefined || Number(port) === 0 || Number(port) > 65_535) {
    throw new Error('each of its hosts must be a name or an address, with an optional port')
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Error('its user and password must be validly percent-encoded')
  }
}

import type { Mutant } from '../mutant.ts'

export const origin: readonly Mutant[] = [
  {
    file: 'shared/origin/policy.ts',
    what: 'without ORIGIN_ALLOW, a name with one public address leads into the private network',
    from: '!addresses.every(isPublic)',
    to: '!addresses.some(isPublic)',
    tests: ['unit/origin/resolved-addresses'],
  },
  {
    file: 'shared/origin/policy.ts',
    what: 'a name with one address in an allowed network is an origin at any other address, too',
    from: '!addresses.every((address) =>',
    to: '!addresses.some((address) =>',
    tests: ['unit/origin/resolved-addresses'],
  },
  {
    file: 'shared/origin/policy.ts',
    what: 'a 6to4 address, which carries any IPv4 address, counts as public',
    from: "address.range() === 'unicast' &&",
    to: "['unicast', '6to4'].includes(address.range()) &&",
    tests: ['unit/origin/resolved-addresses'],
  },
  {
    file: 'shared/origin/policy.ts',
    what: 'requests may connect to any port of a public address',
    from: 'if (!policy.ports.includes(port)) throw errors.dbUrlPortRefused()',
    to: '',
    tests: ['unit/origin/policy'],
  },
  {
    file: 'shared/origin/db-url.ts',
    what: 'a dbUrl with a 6to4 address is accepted',
    from: 'parts[0] === 0x2002 || ',
    to: '',
    tests: ['unit/origin/db-url'],
  },
  {
    file: 'shared/origin/lookup.ts',
    what: 'the IPv6 addresses of a name are not looked up',
    from: '[resolver.resolve4(name), resolver.resolve6(name)]',
    to: '[resolver.resolve4(name)]',
    tests: ['unit/origin/lookup'],
  },
  {
    file: 'shared/origin/connection-guard.ts',
    what: 'the driver resolves the name again, and connects to an address that was never checked',
    from: 'provider._address = provider._address.resolveWith(address)',
    to: '',
    tests: ['unit/origin/connection-guard'],
  },
  {
    file: 'shared/origin/connection-guard.ts',
    what: 'an origin is cut off as silent while the worker itself waits for the store',
    from: 'silentTicks = isWaiting && bytes === lastBytes',
    to: 'silentTicks = bytes === lastBytes',
    tests: ['unit/origin/lies'],
  },
  {
    file: 'shared/origin/connect.ts',
    what: 'a routing table of an origin may name the next address',
    from: "url.encrypted ? 'bolt+s' : 'bolt'",
    to: "url.encrypted ? 'neo4j+s' : 'neo4j'",
    tests: ['unit/origin/lies'],
  },
  {
    file: 'shared/origin/connect.ts',
    what: 'the home database is read, whichever a request names',
    from: 'READ, database, bookmarks }',
    to: 'READ, bookmarks }',
    tests: ['unit/origin/lies'],
  },
]

import type { Mutant } from '../mutant.ts'

export const auth: readonly Mutant[] = [
  {
    file: 'shared/auth/principal.ts',
    what: 'a token of the org acme reads the files of the org acme-eu',
    from: '{org}/`)',
    to: '{org}`)',
    tests: ['integration/static-tokens.file'],
  },
  {
    file: 'shared/auth/jwt.ts',
    what: 'a token that the issuer made for another service is accepted',
    from: 'const rules = { issuer, audience,',
    to: 'const rules = { issuer,',
    tests: ['unit/auth/json-web-tokens'],
  },
  {
    file: 'shared/auth/jwt.ts',
    what: 'a token that never expires is accepted',
    from: 'exp: z.number()',
    to: 'exp: z.number().default(1e11)',
    tests: ['unit/auth/json-web-tokens'],
  },
  {
    file: 'shared/auth/jwt.ts',
    what: 'a logout token of the issuer is accepted as an access token',
    from: ' || !isAccessToken(verified.protectedHeader.typ)',
    to: '',
    tests: ['unit/auth/json-web-tokens'],
  },
  {
    file: 'shared/models/repository.ts',
    what: 'a token of any org claims the manager from which the index policies of all orgs are made',
    from: 'if (orgs !== undefined && name === sharedManager) throw errors.nameReserved(name)',
    to: '',
    tests: ['unit/models/reserved-name'],
  },
  {
    file: 'api/manager/list-texts.ts',
    what: 'a list of thousands of long texts is answered whole and takes the memory of the API',
    from: 'if (bytes > 0 && bytes + size > mostBytes) break',
    to: '',
    tests: ['unit/api/list-texts'],
  },
  {
    file: 'shared/auth/jwt.ts',
    what: 'a client with a JSON Web Token gets the jobs of the static token that has its name',
    from: "identity = JSON.stringify(['jwt', issuer, sub])",
    to: 'identity = sub',
    tests: ['unit/auth/json-web-tokens'],
  },
  {
    file: 'shared/auth/signing-keys.ts',
    what: 'last known keys count for ever while the key server is away',
    from: 'if (!areKnown()) throw errors.keysAway(failure)',
    to: '',
    tests: ['unit/auth/signing-keys'],
  },
]

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
    from: "requiredClaims: ['exp']",
    to: 'requiredClaims: []',
    tests: ['unit/auth/json-web-tokens'],
  },
  {
    file: 'shared/auth/jwt.ts',
    what: 'a logout token of the issuer is accepted as an access token',
    from: ' || !isAccessToken(verified.protectedHeader.typ)',
    to: '',
    tests: ['unit/auth/json-web-tokens'],
  },
]

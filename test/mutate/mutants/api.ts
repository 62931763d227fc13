import type { Mutant } from '../mutant.ts'

export const api: readonly Mutant[] = [
  {
    file: 'api/unstored/return-packet.ts',
    what: 'a part that is returned holds the statements of the next one',
    from: 'const kept = Buffer.from(part.bytes)',
    to: 'const kept = part.bytes',
    tests: ['unit/api/return-packet'],
  },
  {
    file: 'api/submission/submit.ts',
    what: 'a publish that a client sends twice at once fails, although its job has succeeded',
    from: `    if (meanwhile) return { id: meanwhile, replayed: true }
`,
    to: '',
    tests: ['unit/api/submit'],
  },
]

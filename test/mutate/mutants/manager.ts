import type { Mutant } from '../mutant.ts'

export const manager: readonly Mutant[] = [
  {
    file: 'shared/models/removal.ts',
    what: 'a token of another org completes the delete of a model',
    from: 'WHERE n.orgName IN $orgs ',
    to: '',
    tests: ['integration/manager.deletes-in-steps'],
  },
  {
    file: 'shared/models/removal.ts',
    what: 'an interrupted delete of a version can be completed by no token of its org',
    from: ', marked.orgName = coalesce(marked.orgName, orgName)',
    to: '',
    tests: ['integration/manager.deletes-in-steps'],
  },
]

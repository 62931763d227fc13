import { describe, expect, test } from 'vitest'
import { maskIssues, maskIssuesOfModel } from '../../../shared/request/mask/mask-rules.ts'

const mappedIndices = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' }

describe('a rule that the other fields contradict is refused', () => {
  test.each([
    [{ mask: { Person: { id: 'drop' } } }, 'mask.Person.id', 'must not be "drop": "id" is the id property of "Person"'],
    [{ mask: { Person: { id: 'null' } } }, 'mask.Person.id', 'must not be "null": "id" is the id property of "Person"'],
    [{ mask: { Person: { index: 'hash' } } }, 'mask.Person.index', 'must not be given: the value of this property'],
    [
      { mask: { KNOWS: { rid: 'drop' } }, relationshipIdField: 'rid', relationships: [{ type: 'KNOWS' }] },
      'mask.KNOWS.rid',
      'must not be "drop": "rid" is the relationshipIdField',
    ],
    [
      { mask: { Other: { mail: 'null' } }, searchIdField: 'mail' },
      'mask.Other.mail',
      'must not be "null": "mail" is the searchIdField',
    ],
    [
      { mask: { Person: { mail: 'drop' } }, only: { Person: ['mail'] } },
      'mask.Person.mail',
      'must not be "drop": only.Person lists the property',
    ],
    [
      { mask: { Person: { mail: 'hash' } }, only: { Person: ['name'] } },
      'mask.Person.mail',
      'must not be "hash": only.Person leaves the property out',
    ],
  ] as const)('%j', (fields, path, message) => {
    const issues = [...maskIssues({ mappedIndices, ...fields } as Parameters<typeof maskIssues>[0])]
    expect(issues).toEqual([[path, expect.stringContaining(message)]])
  })

  test('hashes of ids, of relationship ids and of search ids are honoured', () => {
    const mask = { Person: { id: 'hash', mail: 'hash' }, KNOWS: { rid: 'hash' } } as const
    const others = { searchIdField: 'mail', relationshipIdField: 'rid', relationships: [{ type: 'KNOWS' }] }
    expect([...maskIssues({ mappedIndices, mask, ...others })]).toEqual([])
  })
})

describe('a rule that the model contradicts is refused, and a sensitive property needs one', () => {
  const types = [
    {
      label: 'Person',
      properties: [
        { key: 'id' },
        { key: 'name', required: true as const },
        { key: 'mail', sensitive: true as const },
        { key: 'phone', sensitive: true as const },
      ],
    },
  ]
  const of = (fields: object) =>
    [...maskIssuesOfModel({ mappedIndices, ...fields }, types, 'v1')].map(({ path, message }) => `${path}: ${message}`)

  test.each([
    [{ mask: { Person: { mail: 'hash', phone: 'drop' } } }, []],
    [{ only: { Person: ['name'] } }, []],
    [{ only: { Person: ['name', 'mail'] }, mask: { Person: { mail: 'hash' } } }, []],
    [
      { mask: { Person: { mail: 'hash' } } },
      ['mask.Person.phone: required: the model version v1 marks the property as sensitive'],
    ],
    [
      { mask: { Person: { mail: 'hash', phone: 'drop', fax: 'drop' } } },
      ['mask.Person.fax: "fax" is no property of the node type in the model version v1'],
    ],
    [{ only: { Person: ['fax'] } }, ['only.Person: "fax" is no property of the node type in the model version v1']],
    [
      { mask: { Person: { mail: 'hash', phone: 'drop', name: 'null' } } },
      ['mask.Person.name: must not be "null": the model version v1 requires the property'],
    ],
  ])('%j', (fields, expected) => {
    expect(of(fields)).toEqual(expected)
  })
})

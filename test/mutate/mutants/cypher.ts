import type { Mutant } from '../mutant.ts'

export const cypher: readonly Mutant[] = [
  {
    file: 'shared/cypher/identifiers.ts',
    what: 'a label with a backtick in it ends its quotation and becomes part of the statement',
    from: "name.replaceAll('`', '``')",
    to: 'name',
    tests: ['unit/cypher/identifiers'],
  },
  {
    file: 'shared/cypher/identifiers.ts',
    what: 'a name with a backslash in it is put into statements, where Cypher 5 decodes it',
    from: '!unquotable.test(name) && ',
    to: '',
    tests: ['unit/cypher/identifiers'],
  },
  {
    file: 'shared/cypher/parameters.ts',
    what: 'two properties of a node share a parameter, so one of them gets the value of the other',
    from: 'while (used.has(',
    to: 'while (false && used.has(',
    tests: ['unit/cypher/parameters'],
  },
  {
    file: 'shared/cypher/values.ts',
    what: 'the sign of a negative zero is lost',
    from: "if (Object.is(value, -0)) return '-0.0'",
    to: '',
    tests: ['unit/cypher/values'],
  },
  {
    file: 'shared/cypher/values.ts',
    what: 'a whole float arrives as an integer',
    from: "return text.includes('.') ? text :",
    to: 'return true ? text :',
    tests: ['unit/cypher/values'],
  },
  {
    file: 'shared/cypher/values.ts',
    what: 'the statement gets a large integer as a plain number, which a client may round',
    from: "numbers === 'strict' || !isSafe(value) ? wrapped('toInteger'",
    to: "numbers === 'strict' ? wrapped('toInteger'",
    tests: ['unit/cypher/values'],
  },
  {
    file: 'shared/cypher/temporal.ts',
    what: 'the nanoseconds of a time lose a leading zero, so the time is another one',
    from: 'pad(nanosecond, 9)',
    to: 'pad(nanosecond, 8)',
    tests: ['unit/cypher/values'],
  },
  {
    file: 'shared/cypher/temporal.ts',
    what: 'a zoned datetime before our era is shifted',
    from: '(shifted >= 0n ? shifted : shifted - 399n) / 400n',
    to: 'shifted / 400n',
    tests: ['unit/cypher/values'],
  },
]

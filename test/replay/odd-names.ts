/** Names that are hard to quote or collide with names used by statements, parameters, drivers or JavaScript. */
export const collidingNames = [
  ...[
    'id',
    'a_id',
    'b_id',
    'ids',
    'ids_0',
    'ids_1',
    'baseId',
    'startId',
    'endId',
    'p_0',
    'p_1',
    'n',
    'r',
    'a',
    'b',
    'm',
  ],
  ...['x', 'i', '__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', 'toJSON', 'length'],
  ...[
    'index',
    'statement',
    'null',
    'true',
    'SET',
    'Id',
    'ID',
    'ＩＤ',
    'key with space',
    ' ',
    '  ',
    ' id',
    'id ',
    '.',
    'a.b',
  ],
  ...[
    '`',
    '``',
    'a`b',
    '`id`',
    '"',
    "'",
    '0',
    '42',
    '007',
    '-1',
    '1e3',
    '$p',
    '$id',
    '{p}',
    '{id}',
    '$',
    '{',
    '}',
    '//',
  ],
  ...['/* */', '--', ';', 'é', 'e\u0301', '日本', '🎈', '\u00a0', '\u200b', '\u202e', '\u2028', 'İ', '\ufeff'],
]

// No name may contain a backslash: contract 5.
const printable = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).filter(
  (character) => character !== '\\',
)

/** Every printable ASCII character except the backslash, sixteen per name. */
export const printableNames = Array.from({ length: Math.ceil(printable.length / 16) }, (_, index) =>
  printable.slice(index * 16, (index + 1) * 16).join(''),
)

export const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``

/** Names also used as id properties and relationship types; few, because a database never forgets a type. */
export const identifyingNames = [
  ...['id', 'a_id', 'b_id', 'ids_0', 'p_0', 'baseId', '__proto__', 'constructor', 'toString', 'index', ' ', 'a.b', '`'],
  ...['{p}', '$p', '🎈', ...printableNames.slice(0, 2)],
]

const limitBytes = 32 * 1024 * 1024

/** Text up to the maximum body size: `open`, as many items as fit, then `close`. */
function filled(open: string, item: (index: number) => string, close: string): string {
  const items = [open]
  let bytes = open.length + close.length
  for (let index = 0; ; index++) {
    const next = (index === 0 ? '' : ',') + item(index)
    if (bytes + next.length > limitBytes) return items.join('') + close
    items.push(next)
    bytes += next.length
  }
}

const fields =
  '"dbUrl":"bolt://db.example","credentials":"Basic YTpi","metadata":true,"orgName":"a","fileName":"f",' +
  '"mappedIndices":{"DEFAULT_INDEX":"P","DEFAULT_ID_FIELD":"id"}'
const name = (index: number) => `"${index.toString(36)}"`
const list = (field: string, item: (index: number) => string) => () => filled(`[{${fields},"${field}":[`, item, ']}]')
const long = (field: string, text: string) => () => `[{"${field}":"${text.repeat((limitBytes - 100) / text.length)}"}]`
const many = (count: number, request: (index: number) => string) => () =>
  `[${Array.from({ length: count }, (_, index) => `{${fields},"originIds":["1"],${request(index)}}`).join(',')}]`
const someOf = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `"${prefix}${index}"`).join(',')

const selectedBy = (at: number, properties: number, values: number) =>
  `{"label":"P","where":{${Array.from({ length: properties }, (_, index) => `"p${index}":[${Array.from({ length: values }, (_, value) => `"${at}${value}"`).join(',')}]`).join(',')}}}`

/** Multi bodies of maximum size, each a worst case for the parser or validator. */
export const worstMultis: Record<string, () => string> = {
  'numbers for ids': list('originIds', () => '0'),
  'nulls for ids': list('relationshipIds', () => 'null'),
  'ids that are one and the same': list('originIds', () => '""'),
  'ids with lone surrogates': list('originIds', () => '"\\ud800"'),
  'ids that all differ': list('originIds', name),
  'types without a name': list('toLayer', () => '""'),
  'names without a letter': list('deleteProperties', () => '""'),
  'names that all differ': list('protectedNodeProperties', name),
  'labels for keys, numbers for values': many(
    90,
    (at) => `"dynamicLabels":{${Array.from({ length: 9_999 }, (_, index) => `"${at}-${index}":0`).join(',')}}`,
  ),
  'requests of nothing but unknown fields': () =>
    filled(
      '[',
      (at) => `{${Array.from({ length: 300 }, (_, index) => `"${at}preventCleanup${index}":0`).join(',')}}`,
      ']',
    ),
  'requests without a field': () => `[${Array(10_000).fill('{}').join(',')}]`,
  'an unknown field as long as the body': () => `[{"${'a'.repeat(limitBytes - 100)}":0}]`,
  'an org name of slashes': long('orgName', 'a/'),
  'a file name of slashes': long('fileName', 'a/'),
  'a file name of part names': long('fileName', 'Part1of1'),
  'a file name of marks in the wrong order': long('fileName', '\\u0315\\u0300'),
  'a host of dots': long('dbUrl', 'a.'),
  'credentials without an end': long('credentials', 'QUJD'),
  'a type of backticks': () => `[{"toLayer":["${'`'.repeat(limitBytes - 100)}"]}]`,
  'a number without an end': () => `[{"originIds":[${'9'.repeat(limitBytes - 100)}]}]`,
  'requests that differ in what each deletes': many(10_000, (at) => `"toLayer":["A"],"deleteProperties":["p${at}"]`),
  'requests that share no type': many(10_000, (at) => `"relationshipIdField":"f${at}","relationships":["T${at}"]`),
  'requests that share no type, of many types': many(
    2_500,
    (at) => `"relationshipIdField":"f${at}","relationships":[${someOf(400, `T${at}x`)}]`,
  ),
  'selections by as many labels and values as fit': () =>
    filled(
      '[',
      (at) => `{${fields},"select":[${Array.from({ length: 100 }, () => selectedBy(at, 20, 8)).join(',')}]}`,
      ']',
    ),
  'elements of a selection without end': list('select', () => '{"label":"*"}'),
  'conditions of a selection that are none': list('select', (at) => `{"label":"P","where":{"${at}":[]}}`),
  'requests that delete by ids that differ': many(
    10_000,
    (at) => `"deleteRelationshipById":true,"relationshipIdField":"f${at}","relationships":["T${at}","U${at}"]`,
  ),
}

/** Bodies whose structure alone is expensive to parse. */
export const worstShapes: Record<string, [make: () => string, message: RegExp]> = {
  'lists within lists': [() => '['.repeat(limitBytes / 2) + ']'.repeat(limitBytes / 2), /at most 32 levels deep/],
  'objects within objects': [() => '{"a":'.repeat(5_000_000), /at most 32 levels deep/],
  'empty lists': [() => filled('[', () => '[]', ']'), /at most 2000000 objects and lists/],
  'lists of thirty levels': [
    () => filled('[', () => '['.repeat(30) + ']'.repeat(30), ']'),
    /at most 2000000 objects and lists/,
  ],
  'one object of keys that differ': [() => filled('{', (at) => `${name(at)}:0`, '}'), /at most 10000 keys/],
  'objects of keys that differ': [
    () => filled('[', (at) => `{${Array.from({ length: 9_000 }, (_, index) => `"${at}-${index}":0`).join(',')}}`, ']'),
    /at most 1000000 keys/,
  ],
}

export const worstPairs = (item: (index: number) => string): string =>
  filled(
    '{"startIndex":"A","startIdField":"i","endIndex":"B","endIdField":"i","fileName":"f","type":"T","startIdType":"integer","idPairs":[',
    item,
    ']}',
  )

const twice = '{"twice":0,"twice":0}'

/** Bodies whose last object repeats a key, after the maximum number of other keys. */
export const worstRepeats: Record<string, () => string> = {
  'objects of two keys': () => `[${'{"a":0,"b":0},'.repeat(1_999_990)}${twice}]`,
  'objects of two keys in escapes': () => `[${'{"\\u0061":0,"b":0},'.repeat(1_600_000)}${twice}]`,
  'objects of keys that differ': () =>
    `[${Array.from({ length: 90 }, (_, at) => `{${Array.from({ length: 9_999 }, (_, index) => `"${at}-${index}":0`)}},`).join('')}${twice}]`,
  'a key as long as the body': () => `[{"${'a'.repeat(limitBytes - 100)}":0},${twice}]`,
}

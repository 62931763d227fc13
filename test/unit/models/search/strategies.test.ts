import { expect, test } from 'vitest'
import { parseStrategyName, strategiesOf } from '../../../../shared/models/search/strategies.ts'

const producers = (label: string) => Object.values(strategiesOf(label, false)).map(({ producer }) => producer)

test('producers select by grn, by changes since the last indexing, or everything', () => {
  expect(producers('Movie')).toMatchInlineSnapshot(`
    [
      "MATCH (n:\`Movie\`) WHERE n.grn IN {idList} WITH n AS \`movie\` RETURN \`movie\`",
      "MATCH (n:\`Movie\`) WHERE n.updatedAt > n.lastSearchIndexedAt WITH n AS \`movie\` RETURN \`movie\`",
      "MATCH (n:\`Movie\`) WITH n AS \`movie\` RETURN \`movie\`",
    ]
  `)
})

test('labels are quoted, whatever they contain', () => {
  expect(producers('Odd `label`})//')).toMatchInlineSnapshot(`
    [
      "MATCH (n:\`Odd \`\`label\`\`})//\`) WHERE n.grn IN {idList} WITH n AS \`odd \`\`label\`\`})//\` RETURN \`odd \`\`label\`\`})//\`",
      "MATCH (n:\`Odd \`\`label\`\`})//\`) WHERE n.updatedAt > n.lastSearchIndexedAt WITH n AS \`odd \`\`label\`\`})//\` RETURN \`odd \`\`label\`\`})//\`",
      "MATCH (n:\`Odd \`\`label\`\`})//\`) WITH n AS \`odd \`\`label\`\`})//\` RETURN \`odd \`\`label\`\`})//\`",
    ]
  `)
})

test('a strategy is all strings, in the order of the specification', () => {
  expect(Object.entries(strategiesOf('Movie', false).defaultFull)).toEqual([
    ['producer', 'MATCH (n:`Movie`) WITH n AS `movie` RETURN `movie`'],
    ['anchorLabel', 'Movie'],
    ['anchorId', 'movie.grn'],
    ['anchor', 'movie'],
    ['batchSize', '1000'],
    ['parallel', 'false'],
    ['retries', '0'],
    ['iterateList', 'true'],
    ['broker', 'DIRECT'],
  ])
  const { broker, ...custom } = { broker: 'none', ...strategiesOf('Movie', true).defaultFull }
  expect([broker, custom.parallel]).toEqual(['none', 'true'])
})

test.each([
  ['defaultBroker', 'defaultBroker'],
  ['default_broker', 'defaultBroker'],
  ['default_partial', 'defaultPartial'],
  ['defaultFull', 'defaultFull'],
  ['DEFAULT_FULL', null],
  ['default', null],
  ['defaultfull', null],
  ['', null],
])('the strategy name "%s" is parsed as %s', (text, name) => {
  expect(parseStrategyName(text)).toBe(name)
})

/** Example bodies for the OpenAPI document, using the sample graph that `npm start` loads. */

const database = {
  dbUrl: 'bolt://origin.example.org:7687',
  credentials: 'Basic bmVvNGo6cGFzc3dvcmQ=',
  mappedIndices: { DEFAULT_INDEX: 'Airport', DEFAULT_ID_FIELD: 'iata' },
}

const what = { metadata: true, relationships: ['FLIGHT>'] }

export const publishExample = {
  ...database,
  database: 'neo4j',
  originIds: ['SEA', 'JFK'],
  ...what,
  orgName: 'demo',
  fileName: 'two-airports.json',
}

export const multiExample = [
  { ...database, originIds: ['SEA'], ...what, orgName: 'demo', fileName: 'airports-in-parts.json' },
  { ...database, originIds: ['JFK'], ...what },
]

export const nodeDeleteExample = {
  mappedIndices: database.mappedIndices,
  index: 'Airport',
  originIds: ['SEA', 'JFK'],
  fileName: 'no-airports.json',
}

export const relationshipCreatesExample = {
  startIndex: 'Airport',
  startIdField: 'iata',
  endIndex: 'Airport',
  endIdField: 'iata',
  type: 'FLIGHT',
  idPairs: [{ startId: 'SEA', endId: 'JFK' }],
  fileName: 'new-flights.json',
}

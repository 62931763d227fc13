import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Driver } from 'neo4j-driver'
import { run } from './replay/neo4j.ts'

interface Flight {
  origin: string
  destination: string
  count: number
}

/** Reads a file of the npm package `vega-datasets`: real airports, and the flights between them in 2008. */
function table(file: string): Record<string, string>[] {
  const build = createRequire(import.meta.url).resolve('vega-datasets')
  return parse(readFileSync(join(dirname(build), '../data', file)), { columns: true })
}

/** The airports, and how many flights lie between two of them. Numbers are numbers. */
export function readAirports(): { airports: { iata: string }[]; flights: Flight[] } {
  const airports = table('airports.csv').map(({ iata = '', latitude, longitude, ...texts }) => ({
    iata,
    ...texts,
    latitude: Number(latitude),
    longitude: Number(longitude),
  }))
  const flights = table('flights-airport.csv').map(({ origin = '', destination = '', count }) => ({
    origin,
    destination,
    count: Number(count),
  }))
  return { airports, flights }
}

/**
 * Loads the sample graph: `:Airport {iata, name, city, state, country, latitude, longitude}` and
 * `-[:FLIGHT {count}]->`, numbers as numbers. @returns the airports' ids and the number of flights.
 */
export async function loadAirports(driver: Driver): Promise<{ ids: string[]; flights: number }> {
  const { airports, flights } = readAirports()
  await run(driver, 'CREATE CONSTRAINT airport_iata IF NOT EXISTS FOR (a:Airport) REQUIRE a.iata IS UNIQUE')
  await run(driver, 'UNWIND $airports AS airport MERGE (a:Airport {iata: airport.iata}) SET a += airport', { airports })
  const draw = 'MERGE (a)-[f:FLIGHT]->(b) SET f.count = toInteger(flight.count)'
  await run(
    driver,
    `UNWIND $flights AS flight MATCH (a:Airport {iata: flight.origin}) MATCH (b:Airport {iata: flight.destination}) ${draw}`,
    { flights },
  )
  return { ids: airports.map(({ iata }) => iata), flights: flights.length }
}

/** Changes the sample graph: airports go, one comes, and flights are counted again. @returns what has changed */
export async function changeAirports(driver: Driver): Promise<string> {
  const gone = 'MATCH (a:Airport) WITH a ORDER BY a.iata LIMIT 20 DETACH DELETE a'
  const opened =
    "MATCH (b:Airport {iata: 'JFK'}) CREATE (:Airport {iata: 'JFK2', city: 'New York'})-[:FLIGHT {count: 1}]->(b)"
  const counted = "MATCH (:Airport {iata: 'SEA'})-[f:FLIGHT]->() SET f.count = f.count + 1"
  for (const change of [gone, opened, counted]) await run(driver, change)
  return '20 airports closed, one opened, and the flights that leave Seattle counted again'
}

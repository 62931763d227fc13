import type { Driver } from 'neo4j-driver'
import { speakOlderBolt } from './older-bolt.ts'
import { receiveHandshakesWhole } from './whole-handshakes.ts'

/** Gives a new driver what every connection of ours needs: handshakes in pieces, and Bolt 1 and 2. */
export function extendBolt(driver: Driver): void {
  // First: Bolt 1 and 2 are offered to a server that refuses what a whole handshake offers.
  receiveHandshakesWhole(driver)
  speakOlderBolt(driver)
}

import { readFileSync } from 'node:fs'
import { expect, inject } from 'vitest'
import type { Client } from '../../../dev/client.ts'
import { openDriver } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Service, ServiceOptions } from '../../../dev/service.ts'
import { ownService } from '../programs/own-service.ts'
import { measuredTurns } from '../programs/turns.ts'
import { drawVersion } from './versions.ts'

/** Limits of the containers in deploy/kubernetes/. */
const [apiMB, workerMB] = [2_147, 1_610]

/**
 * The most processor time of an API in which it answers no other request. Next to two busy files of tests 282 ms were
 * seen: processor time, too, depends on what else a core does.
 */
const usualTurnMs = 400

/** Other test files share the two cores, so answers of a few milliseconds may usually take this long without an attack. */
const usualMs = 2_000

/** One answer may take longer than the usual one by chance, but no answer takes as long as this. */
const longestMs = 60_000

const roundsAlone = 8
/** How often the victim publishes and lists at least. */
export const leastRounds = 5

export interface Tenants {
  service: Service
  victim: Client
  attacker: Client
  victimOrg: string
  attackerOrg: string
  /** A small publish, without the names of its packet. */
  request: object
  /**
   * Publishes and lists as the victim, alone and then until `attack` ends; `rounds` returns how often. Fails if
   * one of its publishes or listings fails, if the median answer during the attack takes more than `mostMs` (2 s) and
   * five times the median alone, if one takes a minute, if a turn of the API's event loop takes `turnMs` (250 ms) of
   * processor time, or if a program takes more memory than its container has.
   */
  unharmedBy(
    attack: (rounds: () => number) => Promise<unknown>,
    limits?: { mostMs?: number; turnMs?: number },
  ): Promise<void>
}

const scopes = ['publish:read', 'publish:write', 'manager:read', 'manager:write', 'search:read']

/** A service of a test file with two tenants, each with a token for its own org. */
export async function openTenants(options: Partial<ServiceOptions> = {}): Promise<Tenants> {
  const [victimOrg, attackerOrg] = [uniqueName('victim'), uniqueName('attacker')]
  const tokens = [
    { name: 'victim', orgs: [victimOrg], scopes },
    { name: 'attacker', orgs: [attackerOrg], scopes },
  ]
  const turns = measuredTurns()
  const nodeOptions = [turns.env.NODE_OPTIONS, options.env?.NODE_OPTIONS ?? ''].join(' ')
  const env = { ...options.env, ...turns.env, NODE_OPTIONS: nodeOptions }
  const { service, as } = await ownService({ workers: 2, tokens, ...options, env })
  const [victim, attacker] = [as('victim'), as('attacker')]
  await victim.post(`/1.0/publish/${victimOrg}`)
  await attacker.post(`/1.0/publish/${attackerOrg}`)
  const driver = openDriver(inject('stack').neo4j)
  const version = await drawVersion(driver, inject('stack').neo4j, 10)
  await driver.close()
  let published = 0

  async function timed(statuses: number[], request: () => Promise<{ status: number }>): Promise<number> {
    const started = performance.now()
    statuses.push((await request()).status)
    return performance.now() - started
  }

  /** @returns the times of a publish and of a listing, in milliseconds. */
  async function round(statuses: number[]): Promise<number[]> {
    const request = { ...version.requests[0], orgName: victimOrg, fileName: `small${published++}` }
    const publish = await timed(statuses, () => victim.post('/1.0/publish/', request))
    return [publish, await timed(statuses, () => victim.get(`/1.0/publish/${victimOrg}`))]
  }

  return {
    service,
    victim,
    attacker,
    victimOrg,
    attackerOrg,
    request: version.requests[0] as object,
    async unharmedBy(attack, { mostMs = usualMs, turnMs = usualTurnMs } = {}) {
      const statuses: number[] = []
      const alone: number[][] = []
      for (let done = 0; done < roundsAlone; done++) alone.push(await round(statuses))
      const allowed = [0, 1].map((at) => Math.max(mostMs, 5 * median(alone.map((times) => times[at] as number))))
      const since = Date.now()
      let isOver = false
      const during: number[][] = []
      const afterwards: number[][] = []
      const attacked = attack(() => during.length).finally(() => {
        isOver = true
      })
      attacked.catch(() => {}) // awaited below, when the victim's round has ended
      while (!isOver) during.push(await round(statuses))
      while (during.length + afterwards.length < leastRounds) afterwards.push(await round(statuses))
      await attacked
      expect(statuses.filter((status) => status !== 200)).toEqual([])
      for (const [at, name] of ['publish', 'listing'].entries()) {
        expect(median(during.map((times) => times[at] as number)), `median ${name}, ms`).toBeLessThan(
          allowed[at] as number,
        )
      }
      expect(Math.max(...[...during, ...afterwards].flat()), 'slowest answer, ms').toBeLessThan(longestMs)
      const longestTurn = turns.longest(service.api.pid, since)
      expect(longestTurn, 'longest turn of the API, ms of processor time').toBeLessThan(turnMs)
      expect(mostMB(service.api.pid), 'memory of the API, MB').toBeLessThan(apiMB)
      for (const { pid } of service.workers) expect(mostMB(pid), 'memory of a worker, MB').toBeLessThan(workerMB)
    },
  }
}

/** The most memory that a process has had. */
const mostMB = (pid: number) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number

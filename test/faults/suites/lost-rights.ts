import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, expect, test } from 'vitest'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { documentedRule } from '../../support/documents/redis-user.ts'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { runDoctor } from '../../support/programs/doctor.ts'
import { ownService } from '../../support/programs/own-service.ts'

/** A change of the rights of the Redis user, the command that the programs then name, and the status of a read. */
export type LostRights = readonly [rule: string, refused: string, readStatus: number]

/** Registers tests that take rights away from running programs, and give them back. */
export async function lostRights(rules: readonly LostRights[]): Promise<void> {
  const own = await ownRedis((end) => afterAll(end))
  const admin = new Redis(own.address.url)
  afterAll(() => admin.disconnect())
  const setRights = (rule: string) => admin.call('ACL', 'SETUSER', 'app', ...rule.split(' '))
  const allRights = `on >secret ${documentedRule}`
  await setRights(allRights)
  const REDIS_URL = own.address.url.replace('://', '://app:secret@')
  const { service, client } = await ownService({ workers: 1, env: { REDIS_URL } })
  const { org, fields } = await prepare(3, service)
  const [worker] = service.workers as [RunningProcess]

  const publish = (fileName: string, wait = 'respond-async') =>
    client.post('/1.0/publish/', { ...fields, originIds: ['p1'], orgName: org, fileName }, { Prefer: wait })
  const workerUrl = `http://127.0.0.1:${/"port":(\d+),"msg":"listening"/.exec(worker.log())?.[1]}`
  const readiness = async (url: string) => (await fetch(`${url}/readyz`)).text()
  /** Log lines about errors. */
  const lines = (program: RunningProcess) =>
    program
      .log()
      .split('\n')
      .filter((line) => line.includes('"err":'))

  /** Processor time of a process, in seconds. */
  function cpuSeconds({ pid }: RunningProcess): number {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  }

  /** Takes rights away for a while from programs with jobs that wait. */
  async function without(rule: string) {
    const jobs = await Promise.all(Array.from({ length: 10 }, (_, at) => publish(`${rule} ${at}`)))
    expect(jobs.map(({ status }) => status)).toEqual(Array(10).fill(202))
    await setRights(rule)
    const before = [service.api, worker].map(lines)
    const cpu = cpuSeconds(worker)
    await delay(10_000) // the duration of the refusal is what is tested
    const [ofApi = [], ofWorker = []] = [service.api, worker].map((one, at) => lines(one).slice(before[at]?.length))
    const cpuUsed = cpuSeconds(worker) - cpu
    const texts = await Promise.all([service.apiUrl, workerUrl].map(readiness))
    const answers = await Promise.all([
      publish('refused'),
      client.post('/1.0/ops/pause'),
      client.get(`/1.0/jobs?orgName=${org}`),
      client.get('/1.0/publish/status'),
    ])
    const doctor = await runDoctor({ REDIS_URL })
    await setRights(allRights)
    const ended = await Promise.all(jobs.map(({ headers }) => client.followJob(headers.get('Location') as string)))
    const logged = { api: ofApi, worker: ofWorker }
    return { logged, cpuUsed, texts, answers, doctor, ended }
  }

  test.each(rules)(
    'while %s is taken away the programs name %s, in few lines, and lose nothing',
    async (rule, refused, readStatus) => {
      const { logged, cpuUsed, texts, answers, doctor, ended } = await without(rule)
      // The tests before may have used up the lines of this minute.
      if (rule === rules[0]?.[0]) expect(logged.worker.length).toBeGreaterThan(0)
      expect(logged.worker.length).toBeLessThanOrEqual(10)
      expect(logged.api).toEqual([])
      expect(cpuUsed).toBeLessThan(3)
      expect(texts).toEqual(Array(2).fill(`down: redis (refuses ${refused})\n`))
      expect(answers.map(({ status }) => status)).toEqual([503, 503, readStatus, 503])
      expect(doctor.notOk).toContain(
        `fail  redis rights: refuses ${refused}: the rule for its user is in docs/operations.md, "Rights of the Redis user"`,
      )
      expect(doctor.code).toBe(1)
      // Runs that were under way may have lost their locks.
      expect(ended.map(({ state, attempt }) => [state, attempt <= 2])).toEqual(Array(10).fill(['succeeded', true]))
      await expect.poll(() => readiness(service.apiUrl)).toBe('ok\n')
      expect((await publish(`after ${rule}`, 'wait=30')).status).toBe(200)
    },
  )
}

import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { modelWith } from '../models/bound-model.ts'
import { ownService } from '../programs/own-service.ts'
import { startCollector } from '../servers/collector.ts'
import { callbackSettings, newSecret, startReceiver } from '../servers/receiver.ts'

/** Something that a client, an operator or a peer can read: its name, and its text. */
export type Place = readonly [place: string, text: string]

/** Values that occur nowhere else, of the types whose text the service writes in different ways. */
function drawCanaries() {
  const canaries: (string | bigint)[] = []
  const seed = Math.floor(Math.random() * 2 ** 40)
  function added<T extends string | bigint>(value: T): T {
    canaries.push(value)
    return value
  }
  return {
    canaries,
    text: (what = '') => added(`cnry${what}${seed.toString(36)}x${canaries.length}`),
    odd: () => added(`cnry "${seed.toString(36)}\\\u00fc${canaries.length}`),
    integer: () => added(7_000_000_000_000_000n + BigInt(seed) * 1_000n + BigInt(canaries.length)),
  }
}

/** Every form in which a program might write a value. */
function formsOf(canary: string | bigint): string[] {
  const plain = String(canary)
  const bytes = Buffer.from(plain)
  // The middle of the base64 of a text that begins at any of three places.
  const inBase64 = [0, 1, 2].map((at) => {
    const whole = Buffer.concat([Buffer.alloc(at), bytes]).toString('base64')
    return whole.slice(at === 0 ? 0 : 4, -4)
  })
  const json = JSON.stringify(plain).slice(1, -1)
  return [plain, json, JSON.stringify(json).slice(1, -1), bytes.toString('hex'), encodeURIComponent(plain), ...inBase64]
}

/**
 * A graph of which every value is a canary, and a service with one worker that logs and traces all it can. The graph has
 * nodes of one id, a value that no statement can hold, and nodes of two labels.
 */
export async function openCanaryWorld() {
  const collector = await startCollector()
  const receiver = await startReceiver()
  const own = await ownService({
    workers: 1,
    env: {
      ...callbackSettings([receiver], newSecret()),
      LOG_LEVEL: 'trace',
      NODE_OPTIONS: `--import=${join(import.meta.dirname, '../../../deploy/otel.mjs')}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  })
  const { neo4j } = inject('stack')
  const driver = openDriver(neo4j)
  afterAll(() => driver.close())
  const { canaries, text, odd, integer } = drawCanaries()
  const [label, other] = [uniqueName('Canary'), uniqueName('CanaryB')]
  const ids = [text(), odd(), text('twin'), text('photo'), integer()]
  const [missing, missingOwn, unused] = [text('gone'), text('goneown'), integer()]
  const owns = [text('own'), text('own')]

  const properties = () => ({ email: odd(), phone: integer(), tags: [text(), odd()], note: text(), nick: text() })
  const nodes = ids.map((id) => ({ id, ...properties() }))
  await run(driver, `UNWIND $nodes AS node CREATE (n:${label}) SET n = node`, { nodes })
  await run(driver, `CREATE (:${label} {id: $id, email: $email})`, { id: ids[2], email: text() })
  await run(driver, `MATCH (n:${label} {id: $id}) SET n.odd = $photo`, { id: ids[3], photo: new Int8Array([1, 2]) })
  await run(driver, `CREATE (:${label}:${other} {id: $id, key: $key, phone: $phone})`, {
    id: text(),
    key: text(),
    phone: integer(),
  })
  for (const [at, grn] of owns.entries()) {
    await run(
      driver,
      `MATCH (a:${label} {id: $from}), (b:${label} {id: $to}) CREATE (a)-[:KNOWS {grn: $grn, since: $since, mine: $mine}]->(b)`,
      { from: ids[at], to: ids[at === 0 ? 1 : 4], grn, since: integer(), mine: text() },
    )
  }
  // Values of other types than the model's, a required property that is missing, and labels that it does not have.
  const { name: model } = await modelWith(own.client, {
    [label]: {
      id: ['String', 'unique', 'sensitive'],
      email: ['Integer', 'sensitive'],
      phone: ['String', 'sensitive'],
      tags: ['String', 'sensitive'],
      note: ['String', 'sensitive'],
      nick: ['String', 'sensitive'],
      absent: ['String', 'required'],
    },
  })
  const forms = canaries.flatMap((canary) => formsOf(canary).map((form) => [String(canary), form] as const))

  return {
    ...own,
    receiver,
    label,
    other,
    model,
    owns,
    missing,
    missingOwn,
    canaries,
    place: database(neo4j, label, 'id'),
    /** Ids as a request has them: two of good nodes, one of two nodes, one of the value that no statement can hold. */
    ids: [...ids.map(String), missing],
    unused: String(unused),
    /** Masks all that the graph has. */
    mask: {
      [label]: { id: 'hash', email: 'hash', phone: 'hash', tags: 'hash', note: 'drop', nick: 'null' },
      [other]: { key: 'hash', phone: 'hash' },
      KNOWS: { grn: 'hash', since: 'hash', mine: 'drop' },
    } as Record<string, Record<string, string>>,
    /** What a publish left outside of answers, Redis and the store. */
    outside: (): Place[] => [
      ['callbacks', JSON.stringify(receiver.received)],
      ['spans', collector.bodies.join('\n')],
      ['logs', own.service.logs()],
    ],
    /** Which canaries are in a place, and in which form. */
    leaksIn: (places: readonly Place[]): string[] =>
      places.flatMap(([place, kept]) =>
        forms.filter(([, form]) => kept.includes(form)).map(([canary, form]) => `${canary} is in ${place} as ${form}`),
      ),
  }
}

import { Redis } from 'ioredis'

/**
 * Time for which the Sentinels consider a replica down that is waited for. Beyond this limit changes are accepted
 * without it.
 */
const goneMs = 10_000

/** A replica whose last acknowledgement is older does not take part in a `WAIT`. */
const silentSeconds = 10

type Fields = Record<string, string>

/** What a Sentinel answers to `SENTINEL MASTER` and `SENTINEL REPLICAS`. */
export interface SentinelView {
  primary: Fields
  replicas: Fields[]
}

/** The sections `server` and `replication` of the INFO of the server that a connection leads to. */
type Info = string

/**
 * The number of replicas that must confirm a change, so that every replica has it that Sentinels may promote; null if
 * none of these Sentinels considers the server of `info` the primary. A replica that is being promoted leaves its
 * primary before any Sentinel says so, and all of them lose their connections to it. So a replica counts until the
 * majority of the `sentinelCount` Sentinels is sure that it is gone. It counts even then if it confirms changes, because
 * Redis says only how many replicas did.
 */
export function promotableReplicas(views: SentinelView[], sentinelCount: number, info: Info): number | null {
  const runId = /^run_id:(\w+)/m.exec(info)?.[1]
  const current = views.filter(({ primary }) => primary.runid === runId)
  if (current.length === 0) return null
  const isFailingOver = current.some(({ primary }) => hasFlag(primary, 'failover_in_progress'))
  const mayBeGone = current.length * 2 > sentinelCount && !isFailingOver
  const known = new Map<string, boolean>()
  for (const replica of current.flatMap(({ replicas }) => replicas)) {
    const name = `${replica.ip}:${replica.port}`
    known.set(name, (known.get(name) ?? true) && mayBeGone && isGone(replica))
  }
  const confirming = namesOfConfirming(info)
  // Sentinels that resolve host names know replicas by other names than the primary does.
  const isComparable = confirming.some((name) => known.has(name))
  const others = isComparable ? confirming.filter((name) => known.get(name) !== false) : []
  return [...known.values()].filter((gone) => !gone).length + others.length
}

function isGone(replica: Fields): boolean {
  const isDown = hasFlag(replica, 's_down')
  // A Sentinel that was restarted or changed its primary has no ID of a replica until the replica answers.
  if (replica.runid === '') return isDown || hasFlag(replica, 'disconnected')
  return isDown && Number(replica['s-down-time']) >= goneMs
}

const hasFlag = ({ flags = '' }: Fields, flag: string): boolean => flags.split(',').includes(flag)

/** `ip:port` of the connected replicas that have confirmed something lately. Backup tools never do. */
function namesOfConfirming(info: Info): string[] {
  return info.split(/\r?\n/).flatMap((line) => {
    const [, ip, port, offset, lag] =
      /^slave\d+:ip=([^,]*),port=(\d+),state=online,offset=(\d+),lag=(\d+)/.exec(line) ?? []
    return Number(offset) > 0 && Number(lag) < silentSeconds ? [`${ip}:${port}`] : []
  })
}

/** The answers of the Sentinels of a connection that answer in time. @throws the error of one of them if none does */
export async function askSentinels({ options }: Redis): Promise<SentinelView[]> {
  const asked = (options.sentinels ?? []).map(async ({ host, port }) => {
    const sentinel = new Redis({
      host: host ?? '',
      port: port ?? 26_379,
      lazyConnect: true,
      retryStrategy: () => null,
      connectTimeout: 1_000,
      commandTimeout: 1_000,
      enableReadyCheck: false,
      username: options.sentinelUsername ?? '',
      password: options.sentinelPassword ?? '',
      ...(options.sentinelTLS ? { tls: options.sentinelTLS } : {}),
    })
    sentinel.on('error', () => {})
    const ask = (what: string) => sentinel.call('SENTINEL', what, options.name ?? '')
    try {
      const [primary, replicas] = await Promise.all([ask('MASTER'), ask('REPLICAS')])
      return { primary: fieldsOf(primary as string[]), replicas: (replicas as string[][]).map(fieldsOf) }
    } finally {
      sentinel.disconnect()
    }
  })
  const answers = await Promise.allSettled(asked)
  const views = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const [first] = answers
  if (views.length === 0 && first?.status === 'rejected') throw first.reason
  return views
}

function fieldsOf(reply: string[]): Fields {
  return Object.fromEntries(reply.flatMap((name, at) => (at % 2 === 0 ? [[name, reply[at + 1] ?? '']] : [])))
}

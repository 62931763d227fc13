import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectForChanges } from '../../shared/redis/connect.ts'
import { NotReplicatedError, requireReplicas } from '../../shared/redis/replicas.ts'
import { type OwnRedis, ownRedis } from '../support/faults/own-redis.ts'
import { startTcpProxy } from '../support/faults/tcp-proxy.ts'

vi.setConfig({ testTimeout: 60_000 })

const hostOf = ({ address }: OwnRedis) => new URL(address.url).host

const arrayOf = (words: string[]) => `*${words.length}\r\n${words.map((it) => `$${it.length}\r\n${it}\r\n`).join('')}`

/** A Sentinel that says, once `answers` is called, that the primary of the ID `primary.runId` has one replica. */
async function sentinel(primary: { runId: string }) {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', async (bytes) => {
      asked.resolve()
      await answered.promise
      for (const [command] of bytes.toString().matchAll(/\*\d+\r\n(\$\d+\r\n[^\r]*\r\n)+/g)) {
        if (command.includes('MASTER')) socket.write(arrayOf(['runid', primary.runId]))
        else if (command.includes('REPLICAS')) socket.write(`*1\r\n${arrayOf(['flags', 'slave', 'runid', 'some'])}`)
        else socket.write('+OK\r\n')
      }
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return {
    address: { host: '127.0.0.1', port },
    asked: asked.promise,
    answers: answered.resolve,
    async stop() {
      server.close()
      await once(server, 'close')
    },
  }
}

async function runIdOf(redis: Redis): Promise<string> {
  return /run_id:(\w+)/.exec(await redis.info('server'))?.[1] ?? ''
}

test('a change is not promised because another primary, to which the connection goes meanwhile, has a replica', async () => {
  const [first, second, replica] = [await ownRedis(), await ownRedis(), await ownRedis()]
  const follower = new Redis(replica.address.url)
  onTestFinished(() => follower.disconnect())
  await follower.replicaof('127.0.0.1', new URL(second.address.url).port)
  await expect.poll(() => follower.info('replication'), { timeout: 30_000 }).toContain('master_link_status:up')
  const proxy = await startTcpProxy(hostOf(first))
  onTestFinished(() => proxy.close())
  const redis = connectForChanges({ url: `redis://${proxy.address}`, sentinel: null }, { warn() {} })
  onTestFinished(() => redis.disconnect())
  const primary = { runId: '' }
  const { address, asked, answers, stop } = await sentinel(primary)
  Object.assign(redis.options, { sentinels: [address], name: 'group' })
  await redis.connect()
  primary.runId = await runIdOf(redis)

  await redis.set('change', 'made')
  const promised = requireReplicas(redis)
  await asked
  redis.once('close', answers)
  proxy.switchTo(hostOf(second))
  proxy.refuse(true)
  proxy.refuse(false)
  await expect(promised).rejects.toBeInstanceOf(NotReplicatedError)
  expect(await redis.get('change')).toBeNull()
  await redis.set('change', 'made')
  primary.runId = await runIdOf(redis)
  await requireReplicas(redis)

  // Without an answer the last one stays, but not for a new connection, which may be to another primary.
  await stop()
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2_000)
  await requireReplicas(redis)
  redis.disconnect(true)
  await once(redis, 'ready')
  await expect(requireReplicas(redis)).rejects.toThrow('no Sentinel says how many replicas there are')
})

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

/** A Sentinel that says, once `answers` is called, that there is one replica. */
async function sentinel() {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', async (bytes) => {
      asked.resolve()
      await answered.promise
      for (const _ of bytes.toString().matchAll(/^\*\d/gm)) socket.write('*1\r\n*2\r\n$5\r\nflags\r\n$5\r\nslave\r\n')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { address: { host: '127.0.0.1', port }, asked: asked.promise, answers: answered.resolve }
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
  const { address, asked, answers } = await sentinel()
  Object.assign(redis.options, { sentinels: [address], name: 'group' })
  await redis.connect()

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
  await requireReplicas(redis)
})

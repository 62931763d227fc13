import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, inject, test } from 'vitest'
import { manager } from '../../../shared/models/resources.ts'
import { byName } from '../../../shared/models/selector.ts'
import { openModels } from '../../support/models/open-models.ts'

test('a server that accepts connections but never responds is reported within seconds', async () => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const models = openModels({ ...inject('stack').neo4j, boltUrl: `bolt://127.0.0.1:${port}` })
  try {
    const away = { status: 503, code: 'managerAway' }
    await Promise.all([
      expect(models.find(byName(manager, 'default'))).rejects.toMatchObject(away),
      expect(models.createManager('default', 'ann')).rejects.toMatchObject(away),
    ])
  } finally {
    for (const socket of sockets) socket.destroy()
    silent.close()
  }
})

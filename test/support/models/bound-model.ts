import { expect } from 'vitest'
import type { Client } from '../../../dev/client.ts'
import { managerClient, newModel } from './models.ts'

/** A property of a node type: the type of its values, then its flags. */
export type Implemented = [dataType: string, ...flags: ('unique' | 'required' | 'indexed' | 'sensitive')[]]

/** Makes a model of these node types; a property has one type in all of them. */
export async function modelWith(client: Client, types: Record<string, Record<string, Implemented>>) {
  const manager = managerClient(client)
  const { name, version } = await newModel(manager)
  const dataTypes = new Map(
    Object.values(types).flatMap((properties) =>
      Object.entries(properties).map(([key, [dataType]]) => [key, dataType]),
    ),
  )
  const document = {
    properties: [...dataTypes].map(([key, dataType]) => ({ key, dataType })),
    nodeTypes: Object.entries(types).map(([key, properties]) => ({
      key,
      properties: Object.entries(properties).map(([key, [, ...flags]]) => ({
        key,
        ...Object.fromEntries(flags.map((flag) => [flag, true])),
      })),
    })),
  }
  expect((await manager.post(`import/${version.grn}`, document)).status).toBe(200)
  return { name, version: version.grn, manager }
}

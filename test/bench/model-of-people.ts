import { modelWith } from '../support/bound-model.ts'
import type { Setting } from './setting.ts'

/** Makes a model that the people of the graph keep to. @returns the grn of its version */
export async function modelOfPeople({ ours: { client } }: Setting): Promise<string> {
  const { version } = await modelWith(client, {
    Person: {
      id: ['String', 'unique', 'required'],
      name: ['String', 'required'],
      email: ['String'],
      age: ['Integer'],
      height: ['Float'],
      active: ['Boolean'],
      born: ['Date'],
      seen: ['DateTime'],
      tags: ['String[]'],
      city: ['String', 'indexed'],
    },
  })
  return version
}

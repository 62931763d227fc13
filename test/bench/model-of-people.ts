import { modelWith } from '../support/models/bound-model.ts'
import type { Setting } from './setting.ts'

const versions = new WeakMap<Setting, Promise<string>>()

/** The grn of a version of a model that the people of the graph keep to, made once: writing it costs the database time. */
export function modelOfPeople(setting: Setting): Promise<string> {
  const known = versions.get(setting) ?? made(setting)
  versions.set(setting, known)
  return known
}

async function made({ ours: { client } }: Setting): Promise<string> {
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

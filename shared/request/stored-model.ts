import type { BoundModel, ModelledProperty } from './bound-model.ts'

const flags = ['unique', 'indexed', 'required'] as const

/** A bound model as it is stored: each property once, and node types that refer to properties by their places. */
interface StoredModel {
  version: string
  properties: { key: string; dataType?: string }[]
  types: { label: string; properties: [place: number, ...(typeof flags)[number][]][] }[]
}

export function storedModel({ version, types, properties }: BoundModel): StoredModel {
  const places = new Map(properties.map((key, place) => [key, place]))
  const stored: StoredModel['properties'] = properties.map((key) => ({ key }))
  const placeOf = ({ key, dataType }: ModelledProperty) => {
    const place = places.get(key) as number
    if (dataType !== undefined) stored[place] = { key, dataType }
    return place
  }
  const storedTypes = types.map((type): StoredModel['types'][number] => ({
    label: type.label,
    properties: type.properties.map((one) => [placeOf(one), ...flags.filter((flag) => one[flag])]),
  }))
  return { version, properties: stored, types: storedTypes }
}

export function boundModel({ version, types, properties }: StoredModel): BoundModel {
  return {
    version,
    types: types.map((type) => ({
      label: type.label,
      properties: type.properties.map(([place, ...set]) => ({
        ...(properties[place] as StoredModel['properties'][number]),
        ...Object.fromEntries(set.map((flag) => [flag, true])),
      })),
    })),
    properties: properties.map(({ key }) => key),
  }
}

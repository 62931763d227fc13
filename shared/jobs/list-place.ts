/** A job's position in a list: by creation time (epoch milliseconds), then by id, both descending. */
export interface ListPlace {
  id: string
  createdAt: number
}

export const isAfter = (a: ListPlace, b: ListPlace): boolean =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id)

/** A job's position in a list: by creation time (epoch milliseconds), then by id, both descending. */
export interface ListPosition {
  id: string
  createdAt: number
}

export const isAfter = (a: ListPosition, b: ListPosition): boolean =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id)

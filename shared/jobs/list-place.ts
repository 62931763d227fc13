/** Where a job stands in a list: by the time of its creation, epoch milliseconds, then by its id; both descending. */
export interface ListPlace {
  id: string
  createdAt: number
}

export const isAfter = (a: ListPlace, b: ListPlace): boolean =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id)

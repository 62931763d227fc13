/** An object with the members that a test needs, and no others: to use another one is an error. */
export const only = <T extends object>(members: Partial<T>): T =>
  new Proxy(members, {
    get(target, key) {
      if (!(key in target) && typeof key === 'string' && key !== 'then') throw new Error(`the test gives no "${key}"`)
      return Reflect.get(target, key)
    },
  }) as T

/** Lets transactions run together, or one alone while no other does. */
export function createGate() {
  let inside = 0
  let waitingAlone = 0
  let wake: (() => void)[] = []

  async function enter(isFree: () => boolean): Promise<void> {
    while (!isFree()) await new Promise<void>((resolve) => wake.push(resolve))
    inside++
  }

  function leave(): void {
    inside--
    const woken = wake
    wake = []
    for (const resolve of woken) resolve()
  }

  return {
    async together<T>(work: () => Promise<T>): Promise<T> {
      await enter(() => waitingAlone === 0)
      try {
        return await work()
      } finally {
        leave()
      }
    },

    async alone<T>(work: () => Promise<T>): Promise<T> {
      waitingAlone++
      try {
        await enter(() => inside === 0)
        return await work()
      } finally {
        waitingAlone--
        leave()
      }
    },
  }
}

export type Gate = ReturnType<typeof createGate>

/** Like Promise.all, but nothing is under way any more when one has failed: what is undone then would be done after. */
export async function allDone(steps: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(steps)
  await Promise.all(steps)
}

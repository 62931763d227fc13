/** Like Promise.all, but waits for all to settle before rejecting, so clean-up cannot race a late write. */
export async function settleAll(steps: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(steps)
  await Promise.all(steps)
}

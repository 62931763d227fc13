/** The CPU time that this thread takes, in seconds: unlike the time that passes it does not depend on other processes. */
export function busySeconds(act: () => void): number {
  const before = process.threadCpuUsage()
  act()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1e6
}

/** A CPU profile in V8's format; times in microseconds. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** Profiles a Node process through its local inspector port until stopped. */
export async function startProfile(port: number): Promise<{ stop(): Promise<CpuProfile> }> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as [
    { webSocketDebuggerUrl: string },
  ]
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const answers = new Map<number, PromiseWithResolvers<unknown>>()
  const opened = Promise.withResolvers<void>()
  const fail = () => {
    const error = new Error('the inspector has gone')
    opened.reject(error)
    for (const answer of answers.values()) answer.reject(error)
  }
  socket.addEventListener('open', () => opened.resolve())
  socket.addEventListener('error', fail)
  socket.addEventListener('close', fail)
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data))
    if (error) answers.get(id)?.reject(new Error(error.message))
    else answers.get(id)?.resolve(result)
    answers.delete(id)
  })
  await opened.promise
  let sent = 0
  const call = (method: string, params: object = {}) => {
    const id = ++sent
    const answer = Promise.withResolvers<unknown>()
    answers.set(id, answer)
    socket.send(JSON.stringify({ id, method, params }))
    return answer.promise
  }
  await call('Profiler.enable')
  await call('Profiler.setSamplingInterval', { interval: 500 })
  await call('Profiler.start')
  return {
    async stop() {
      const { profile } = (await call('Profiler.stop')) as { profile: CpuProfile }
      socket.close()
      return profile
    },
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../../../dev/client.ts'
import { parsePartName } from '../../../packet/names.ts'
import { type Expected, wholeVersion } from './versions.ts'

const usualPauseMs = 100

/**
 * Continuously lists, reads back and downloads packets: each time it must see none, the whole old or the whole new one.
 * An existing packet must not disappear, and a replaced one must not return.
 */
export interface Reader {
  watch(fileName: string, expected: Expected): void
  expected(fileName: string): readonly Expected[]
  fileNames(): string[]
  /** Number of complete rounds. */
  rounds(): number
  /** Ends the loop. @throws the first violation seen. */
  stop(): Promise<void>
}

interface Watched {
  expected: Expected[]
  seen: string[]
}

/** An answer that reports an unavailable dependency. */
class Away extends Error {}

/** @param answersMayFail the test stops APIs or dependencies, so failed answers are ignored. */
export function startReader(
  client: () => Client,
  org: string,
  answersMayFail: boolean,
  pauseMs = usualPauseMs,
): Reader {
  const watched = new Map<string, Watched>()
  let isStopped = false
  let rounds = 0

  async function get(path: string) {
    const answer = await client().get(path)
    if (answersMayFail && answer.status === 503) throw new Away()
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer
  }

  async function download(url: string): Promise<string> {
    const response = await fetch(url)
    if (answersMayFail && response.status >= 500) throw new Away()
    if (response.status !== 200) throw new Error(`a download answered ${response.status}`)
    return response.text()
  }

  function note(fileName: string, file: Watched, version: string | null) {
    const last = file.seen.at(-1)
    if (version === last) return
    if (version === null) {
      if (last === undefined) return
      throw new Error(`${fileName} was there and is gone`)
    }
    const mayComeBack = file.expected.some((it) => it.version.marker === version && it.mayComeBack)
    if (file.seen.includes(version) && !mayComeBack)
      throw new Error(`${fileName}: ${version} was replaced and came back`)
    file.seen.push(version)
  }

  async function readOnce(fileName: string, file: Watched) {
    const path = `/1.0/publish/${org}/${fileName}`
    const { status, body } = await get(path)
    const parts = body.transactionRequests ?? [body.transactionRequest]
    const texts = parts.map((part) => JSON.stringify(part))
    note(fileName, file, status === 404 ? null : wholeVersion(texts, file.expected))
    const { fileLocation, fileLocations } = (await get(`${path}/url`)).body
    const urls = fileLocations ?? (fileLocation === null ? [] : [fileLocation])
    const downloaded = await Promise.all(urls.map(download))
    note(fileName, file, urls.length === 0 ? null : wholeVersion(downloaded, file.expected))
  }

  async function listOnce() {
    const files = [...watched]
    const { fileNames } = (await get(`/1.0/publish/${org}`)).body
    const byPacket = Map.groupBy(fileNames ?? [], (name) => parsePartName(name)?.base ?? name)
    for (const [fileName, file] of files) {
      const names = byPacket.get(fileName) ?? []
      const counts = new Set(names.map((name) => parsePartName(name)?.of ?? 1))
      const isWhole = counts.size === 1 && counts.has(new Set(names).size)
      if (names.length === 0 ? file.seen.length > 0 : !isWhole) throw new Error(`${fileName} is listed as ${names}`)
    }
  }

  async function readAll() {
    while (!isStopped) {
      try {
        await listOnce()
        for (const [fileName, file] of watched) await readOnce(fileName, file)
        rounds++
      } catch (error) {
        // A network failure: fetch throws a TypeError.
        if (!answersMayFail || !(error instanceof TypeError || error instanceof Away)) throw error
      }
      await delay(pauseMs)
    }
  }

  const reading = readAll()
  // Reported by `stop`; must not be an unhandled rejection until then.
  reading.catch(() => {})
  return {
    watch(fileName, expected) {
      const file = watched.get(fileName) ?? { expected: [], seen: [] }
      file.expected.push(expected)
      watched.set(fileName, file)
    },
    expected: (fileName) => watched.get(fileName)?.expected ?? [],
    fileNames: () => [...watched.keys()],
    rounds: () => rounds,
    async stop() {
      isStopped = true
      await reading
    },
  }
}

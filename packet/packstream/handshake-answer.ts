const versionBytes = 4
/** The last bytes of the version that stands for a list: the number of versions, the versions, and the capabilities. */
const listFollows = 0x01ff
const noVersion = Buffer.alloc(versionBytes)

const isList = (answer: Buffer) => answer.readUInt16BE(2) === listFollows

/** Whether nothing of an answer to the handshake is missing: a version, or a list of versions. */
export function isWhole(answer: Buffer): boolean {
  if (answer.length < versionBytes) return false
  if (!isList(answer)) return true
  const count = readNumber(answer, versionBytes)
  return count !== null && readNumber(answer, count.end + versionBytes * count.value) !== null
}

/** Listed versions that the refusal of an origin names. Beyond this limit the message counts the rest. */
const mostShown = 10

/** The versions that an answer lists, such as `4.2 to 4.4, 6.0`; null if it lists none. */
function listedIn(answer: Buffer): string | null {
  const count = isList(answer) ? readNumber(answer, versionBytes) : null
  if (count === null || count.value === 0) return null
  const ranges = Array.from({ length: Math.min(count.value, mostShown) }, (_, index) => {
    const [, range = 0, minor = 0, major = 0] = answer.subarray(count.end + versionBytes * index)
    return range === 0 ? `${major}.${minor}` : `${major}.${Math.max(0, minor - range)} to ${major}.${minor}`
  })
  return [...ranges, ...(count.value > mostShown ? [`${count.value - mostShown} more`] : [])].join(', ')
}

const spoken = 'Bolt 1, 2, 3, 4.2 to 4.4, 5.0 to 5.8, 6.0 or 6.1'

/** The server has answered the handshake with no version that was offered. */
export class UnknownBoltVersion extends Error {
  /** Whether the answer is one of Bolt, by which a server refuses all offered versions, or lists others. */
  readonly isRefusal: boolean

  constructor(answer: Buffer) {
    const listed = listedIn(answer)
    const isRefusal = isList(answer) || answer.equals(noVersion)
    const found = listed ?? (isRefusal ? null : `${answer[3]}.${answer[2]}`)
    super(found === null ? `the server does not speak ${spoken}` : `the server speaks Bolt ${found}, but not ${spoken}`)
    this.isRefusal = isRefusal
  }
}

/** Reads a number of seven bits a byte, the lowest first; null if its last byte is missing. */
function readNumber(bytes: Buffer, start: number): { value: number; end: number } | null {
  let value = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] as number
    value += (byte & 0x7f) * 2 ** (7 * (at - start))
    if (byte < 0x80) return { value, end: at + 1 }
  }
  return null
}

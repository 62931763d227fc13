import { hashOfLine, newline } from './lines.ts'
import { copyBytes, startsAt } from './short-bytes.ts'
import type { Sorter } from './sorter.ts'

// Lines that were written lately: a node is an end of many relationships. Longer lines are not looked for.
const [recentLines, recentBytes] = [16_384, 128]

/** Writes lines of a state, whole or in pieces, without making a string of each. */
export function createLineWriter(sorter: Pick<Sorter, 'addLine'>) {
  const recent = Buffer.alloc(recentLines * recentBytes)
  let text = Buffer.allocUnsafeSlow(4_096)
  let length = 0

  function makeRoom(more: number): void {
    // The line feed has room, too.
    if (length + more < text.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (length + more + 1))
    text.copy(larger, 0, 0, length)
    text = larger
  }

  /** Whether the line was written lately; from now on it was. */
  function isRepeated(hash: number): boolean {
    if (length > recentBytes) return false
    const place = (hash % recentLines) * recentBytes
    // Each line has its line feed, so none is the beginning of another.
    if (startsAt(text, length, recent, place)) return true
    copyBytes(text, 0, length, recent, place)
    return false
  }

  function end(mayRepeat: boolean): void {
    text[length++] = newline
    const hash = hashOfLine(text, 0)
    if (!(mayRepeat && isRepeated(hash))) sorter.addLine(text, length, hash)
    length = 0
  }

  return {
    /** Continues the line. */
    add(bytes: Buffer, from = 0, to = bytes.length): void {
      makeRoom(to - from)
      length += copyBytes(bytes, from, to, text, length)
    },
    /** Ends the line. `mayRepeat`: it may be one that was written lately, which then needs no second place. */
    end,
    /** Writes a whole line. */
    line(line: string): void {
      makeRoom(3 * line.length)
      length += text.write(line, length)
      end(true)
    },
  }
}

export type LineWriter = ReturnType<typeof createLineWriter>

import { type Kind, kind } from './kinds.ts'

interface ElementType {
  bytes: number
  read(bytes: Buffer, at: number): number | bigint
}

const types: Readonly<Record<Kind, ElementType>> = {
  [kind.vectorOfInteger8]: { bytes: 1, read: (bytes, at) => bytes.readInt8(at) },
  [kind.vectorOfInteger16]: { bytes: 2, read: (bytes, at) => bytes.readInt16BE(at) },
  [kind.vectorOfInteger32]: { bytes: 4, read: (bytes, at) => bytes.readInt32BE(at) },
  [kind.vectorOfInteger64]: { bytes: 8, read: (bytes, at) => bytes.readBigInt64BE(at) },
  [kind.vectorOfFloat32]: { bytes: 4, read: (bytes, at) => bytes.readFloatBE(at) },
  [kind.vectorOfFloat64]: { bytes: 8, read: (bytes, at) => bytes.readDoubleBE(at) },
}

/** Bytes of an element of a vector of this kind. */
export const bytesOf = (of: Kind): number => (types[of] as ElementType).bytes

export const isFloatVector = (of: Kind): boolean => of === kind.vectorOfFloat32 || of === kind.vectorOfFloat64

/** The elements of a vector as Bolt 6 sends them. */
export function elementsOf(of: Kind, bytes: Buffer): (number | bigint)[] {
  const { bytes: size, read } = types[of] as ElementType
  return Array.from({ length: bytes.length / size }, (_, index) => read(bytes, index * size))
}

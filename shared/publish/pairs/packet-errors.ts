import * as errors from '../../errors/catalogue.ts'
import type { PacketErrors } from '../../packet/parts/packet-writer.ts'

/** The errors of a publish whose packet cannot be written. */
export const packetErrors: PacketErrors = {
  pairTooLarge: errors.pairTooLarge,
  tooManyPairs: errors.tooManyPairs,
  // Strings were copied from what the origin sent, and no database sends others.
  notUtf8: () => errors.originBroke(new Error('a string is not UTF-8')),
}

import type { PacketErrors } from '../../../packet/parts/packet-writer.ts'
import * as errors from '../../errors/catalogue.ts'

/** The errors of a publish whose packet cannot be written. */
export const packetErrors: PacketErrors = {
  pairTooLarge: errors.pairTooLarge,
  tooManyPairs: errors.tooManyPairs,
  // The strings are copies of what the origin sent, and no database sends anything but UTF-8.
  notUtf8: () => errors.originMalformed('a string is not UTF-8'),
}

import { exitCodes } from './exit.ts'

const oldest = '22.12'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number)
// Imported before everything else: an older Node.js would fail in the middle of a command.
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  process.stderr.write(`error: packets needs Node.js ${oldest} or later, this is ${process.versions.node}\n`)
  process.exit(exitCodes.usage)
}

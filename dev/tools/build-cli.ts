import { join } from 'node:path'
import { buildClient } from './build-programs.ts'

await buildClient(process.argv[2] ?? join(import.meta.dirname, '../../packets.mjs'))

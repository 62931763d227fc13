import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')
const outfile = process.argv[2] ?? join(root, 'packets.mjs')

// Packages in CommonJS call `require`, which an ES module does not have.
const banner = "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)"

await build({
  entryPoints: [join(root, 'client/main.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.12',
  banner: { js: banner },
})
chmodSync(outfile, 0o755)

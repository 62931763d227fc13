import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const root = join(import.meta.dirname, '../..')
const outfile = process.argv[2] ?? join(root, 'packets.mjs')

// Packages in CommonJS call `require`, which an ES module does not have.
const banner = "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)"

/** Requires the modules of Node.js: an older one that lacks an imported name would run nothing of the file at all. */
const requireBuiltins: Plugin = {
  name: 'require builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : { path, external: true },
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

await build({
  entryPoints: [join(root, 'client/main.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  // Older than what the client needs, so that an older Node.js can read the file and refuse to run it.
  target: 'node18',
  banner: { js: banner },
  plugins: [requireBuiltins],
})
chmodSync(outfile, 0o755)

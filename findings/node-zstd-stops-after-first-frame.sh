#!/usr/bin/env bash
# Guess: Node.js reads a zstd file of several frames, as pzstd makes it and as `cat a.zst b.zst` gives, like a gzip file of
#   several members: whole. RFC 8878 allows such files, and the `zstd` program reads them.
# What happens: in Node.js 24 one call, and a stream too, give the first frame, and end without an error. Nothing tells
#   that bytes were left over. Gzip gives all; so does zstd in Node.js 26. Of Python's libraries, `zstandard.decompress`
#   stops likewise, while its `open`, DuckDB and PyArrow read all.
# Version: Node.js 24.21.0 and 26.10.0 (from npm), zstandard 0.25.0, duckdb 2.0.1, pyarrow 26.0.1 (from PyPI).
# Output seen: the lines between EXPECTED below.
# Hurts: whoever joins compressed exports, or reads what another program compressed in parallel: lines are missing, the
#   result is well-formed, and its checksum is never asked for.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/finding.cjs" <<'JS'
const { createZstdDecompress, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } = require('node:zlib')
const { writeFileSync } = require('node:fs')
const lines = ['{"id":1}\n', '{"id":2}\n', '{"id":3}\n']
const file = Buffer.concat(lines.map((line) => zstdCompressSync(line)))
writeFileSync(process.argv[2], file)
const count = (text) => `${text.toString().trim().split('\n').length} of ${lines.length} lines`
const name = `Node.js ${process.versions.node}`
console.log(`${name}, gzip: ${count(gunzipSync(Buffer.concat(lines.map((line) => gzipSync(line)))))}`)
console.log(`${name}, zstd: ${count(zstdDecompressSync(file))}`)
let text = ''
const stream = createZstdDecompress()
stream.on('data', (bytes) => (text += bytes)).on('end', () => console.log(`${name}, zstd stream: ${count(text)}`))
stream.end(file)
JS
cat >"$folder/finding.py" <<'PY'
import sys
import duckdb
import pyarrow
import zstandard

path = sys.argv[1]
print("zstandard.decompress:", zstandard.decompress(open(path, "rb").read()).count(b"\n"))
print("zstandard.open:", zstandard.open(path, "rb").read().count(b"\n"))
print("DuckDB:", len(duckdb.sql(f"FROM read_json('{path}', format='newline_delimited')").fetchall()))
print("PyArrow:", pyarrow.input_stream(path).read().count(b"\n"))
PY
expected=$(cat <<'EXPECTED'
Node.js 24.21.0, gzip: 3 of 3 lines
Node.js 24.21.0, zstd: 1 of 3 lines
Node.js 24.21.0, zstd stream: 1 of 3 lines
Node.js 26.10.0, gzip: 3 of 3 lines
Node.js 26.10.0, zstd: 3 of 3 lines
Node.js 26.10.0, zstd stream: 3 of 3 lines
zstandard.decompress: 1
zstandard.open: 3
DuckDB: 3
PyArrow: 3
EXPECTED
)
seen=
for version in 24.21.0 26.10.0; do
  npm install --silent --no-fund --no-audit --prefix "$folder/$version" "node@$version" >/dev/null
  seen+=$(timeout 60 "$folder/$version/node_modules/node/bin/node" "$folder/finding.cjs" "$folder/lines.json.zst")$'\n'
done
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check zstandard==0.25.0 duckdb==2.0.1 pyarrow==26.0.1
seen+=$(timeout 60 "$folder/venv/bin/python" "$folder/finding.py" "$folder/lines.json.zst")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

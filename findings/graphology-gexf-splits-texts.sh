#!/usr/bin/env bash
# Guess: a graph that graphology writes as GEXF is read back by graphology with the same attributes; what GEXF has no
#   type for is refused, or comes back as a text. NetworkX reads the file, too.
# What happens: a list of texts is joined with `|` and divided there again, so a text with a `|` becomes two. Empty
#   texts, empty lists and NaN are left out. If one node has a number and another a text under the same name, the
#   number comes back as a text. An object comes back as `[object Object]`. All this without an error. NetworkX refuses
#   any file of graphology with a list, whose type it does not know.
# Version: graphology 0.26.0, graphology-gexf 0.13.2 (npm), Node.js 20 or later; networkx 3.6.1 (PyPI), Python 3.11.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever keeps a graph as GEXF between two steps, or passes it on to Gephi: tags, keywords and paths change.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" graphology@0.26.0 graphology-types@0.24.8 \
  graphology-gexf@0.13.2
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check networkx==3.6.1
cat >"$folder/finding.cjs" <<'JS'
const { writeFileSync } = require('node:fs')
const Graph = require('graphology')
const gexf = require('graphology-gexf')

const values = {
  'list of numbers': [1, 2],
  'list of texts': ['red', 'blue'],
  'texts with a bar': ['red|blue', 'green'],
  'empty list': [],
  'empty text': '',
  'text of digits': '007',
  infinity: Infinity,
  NaN: NaN,
  object: { a: 1 },
}
const shown = (value) => (typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing'))

for (const [name, value] of Object.entries(values)) {
  const graph = new Graph()
  graph.addNode('a', { value })
  const read = gexf.parse(Graph, gexf.write(graph)).getNodeAttribute('a', 'value')
  if (shown(read) !== shown(value)) console.log(`${name}: ${shown(value)} -> ${shown(read)}`)
}
const mixed = new Graph()
mixed.addNode('a', { value: 1 })
mixed.addNode('b', { value: 'x' })
const read = gexf.parse(Graph, gexf.write(mixed))
console.log(`a number and a text: ${shown(read.mapNodes((_, { value }) => value))}`)
const lists = new Graph()
lists.addNode('a', { value: [1, 2] })
writeFileSync(process.argv[2], gexf.write(lists))
JS
cat >"$folder/finding.py" <<'PY'
import sys
import networkx

try:
    print(networkx.read_gexf(sys.argv[1]).nodes(data=True))
except Exception as error:
    print(f"NetworkX, a list of numbers: {type(error).__name__} {error}")
PY
expected=$(cat <<'EXPECTED'
texts with a bar: ["red|blue","green"] -> ["red","blue","green"]
empty list: [] -> nothing
empty text: "" -> nothing
NaN: NaN -> nothing
object: {"a":1} -> "[object Object]"
a number and a text: ["1","x"]
NetworkX, a list of numbers: KeyError 'listinteger'
EXPECTED
)
file="$folder/lists.gexf"
seen=$(node "$folder/finding.cjs" "$file" && "$folder/venv/bin/python" "$folder/finding.py" "$file")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

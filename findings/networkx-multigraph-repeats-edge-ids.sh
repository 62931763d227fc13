#!/usr/bin/env bash
# Guess: the `id` of an edge in GraphML is its own in the file, so a reader may take it as the key of the edge.
# What happens: NetworkX writes the key of an edge of a multigraph as its `id`. Such keys count from 0 between each two
#   nodes, so nearly every graph has many edges with the id "0". graphology, which takes ids as keys, refuses the whole
#   file as inconsistent. NetworkX itself and igraph read it. Without ids, graphology reads it, too.
# Version: networkx 3.6.1 (from PyPI), graphology 0.26.0 and graphology-graphml 0.5.2 (from npm), Node.js 20 or later,
#   Python 3.11 to 3.13.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever shows a graph with parallel edges in a browser that Python has computed; and whoever refers to an edge by
#   its id in the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check networkx==3.6.1
npm install --silent --no-fund --no-audit --prefix "$folder" graphology@0.26.0 graphology-graphml@0.5.2 >/dev/null
cat >"$folder/write.py" <<'PY'
import sys
import networkx

graph = networkx.MultiDiGraph([("ann", "bob"), ("ann", "bob"), ("bob", "cid")])
networkx.write_graphml(graph, sys.argv[1])
print("ids:", *[part.split('"')[0] for part in open(sys.argv[1]).read().split(' id="')[1:] if part[0].isdigit()])
print("NetworkX:", networkx.read_graphml(sys.argv[1]).number_of_edges(), "edges")
PY
cat >"$folder/read.cjs" <<'JS'
const { readFileSync } = require('node:fs')
const { MultiDirectedGraph } = require('graphology')
const { parse } = require('graphology-graphml')
function read(text) {
  try {
    return `${parse(MultiDirectedGraph, text).size} edges`
  } catch (error) {
    return error.message
  }
}
const text = readFileSync(process.argv[2], 'utf8')
console.log(`graphology: ${read(text)}`)
console.log(`graphology, without ids: ${read(text.replaceAll(/(<edge [^>]*) id="\d+"/g, '$1'))}`)
JS
expected=$(cat <<'EXPECTED'
ids: 0 1 0
NetworkX: 3 edges
graphology: Graph.mergeDirectedEdgeWithKey: inconsistency detected when attempting to merge the "0" edge with "bob" source & "cid" target vs. ("ann", "bob").
graphology, without ids: 3 edges
EXPECTED
)
seen=$(timeout 60 "$folder/venv/bin/python" "$folder/write.py" "$folder/graph.graphml")
seen+=$'\n'$(timeout 60 node "$folder/read.cjs" "$folder/graph.graphml")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

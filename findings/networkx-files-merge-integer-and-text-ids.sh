#!/usr/bin/env bash
# Guess: two nodes whose ids are the integer 7 and the text "7" are two nodes in every file that NetworkX writes, or the
#   writer refuses them.
# What happens: GraphML and GEXF hold both under one id, without a warning. NetworkX, which reads them back, has one node,
#   with the properties of the one that was written last, and the edge between the two as a loop. JSON keeps both.
# Version: networkx 3.6.1 (from PyPI), Python 3.11 to 3.13.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever exports a graph that was joined from two sources, one of which has its keys as text: the file has fewer
#   nodes than the graph, and nothing says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check networkx==3.6.1
cat >"$folder/finding.py" <<'PY'
import json
import sys
import networkx

path = f"{sys.argv[1]}/graph"
graph = networkx.DiGraph()
graph.add_node(7, source="orders")
graph.add_node("7", source="customers")
graph.add_edge(7, "7")


def show(name, read):
    print(name, dict(read.nodes(data="source")), [(a, b) for a, b in read.edges()])


networkx.write_graphml(graph, path)
show("GraphML:", networkx.read_graphml(path))
networkx.write_gexf(graph, path)
show("GEXF:", networkx.read_gexf(path))
show("JSON:", networkx.node_link_graph(json.loads(json.dumps(networkx.node_link_data(graph)))))
PY
expected=$(cat <<'EXPECTED'
GraphML: {'7': 'customers'} [('7', '7')]
GEXF: {'7': 'customers'} [('7', '7')]
JSON: {7: 'orders', '7': 'customers'} [(7, '7')]
EXPECTED
)
seen=$(timeout 60 "$folder/venv/bin/python" "$folder/finding.py" "$folder")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

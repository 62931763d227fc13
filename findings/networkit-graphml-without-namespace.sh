#!/usr/bin/env bash
# Guess: GraphML that NetworKit writes can be read by NetworkX, as NetworKit reads the GraphML of NetworkX.
# What happens: NetworKit misspells the attribute that names the namespace, so its elements have none. NetworkX finds no
#   graph in the file and refuses it. NetworKit itself, igraph and rustworkx read it. With the attribute spelled right,
#   NetworkX reads it, too.
# Version: networkit 11.3, networkx 3.6.1 (both from PyPI), Python 3.11 to 3.13.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever computes on a graph with one library and goes on with the other, or with any reader that wants the
#   namespace.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check networkit==11.3 networkx==3.6.1
cat >"$folder/finding.py" <<'PY'
import re
import sys
import networkit
import networkx

path = f"{sys.argv[1]}/graph.graphml"


def read():
    try:
        return list(networkx.read_graphml(path).edges())
    except networkx.NetworkXError as error:
        return error


graph = networkit.Graph(2, directed=True)
graph.addEdge(0, 1)
networkit.graphio.writeGraph(graph, path, networkit.Format.GraphML)
text = open(path).read()
print("attribute:", re.search(r'<graphml (\w+)="', text)[1])
print("NetworKit:", networkit.graphio.readGraph(path, networkit.Format.GraphML).numberOfEdges(), "edge")
print("NetworkX:", read())
open(path, "w").write(text.replace("xmlnsi=", "xmlns=", 1))
print("NetworkX, spelled right:", read())
PY
expected=$(cat <<'EXPECTED'
attribute: xmlnsi
identified graph as directed
NetworKit: 1 edge
NetworkX: file not successfully read as graphml
NetworkX, spelled right: [('0', '1')]
EXPECTED
)
seen=$(timeout 60 "$folder/venv/bin/python" -u "$folder/finding.py" "$folder")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

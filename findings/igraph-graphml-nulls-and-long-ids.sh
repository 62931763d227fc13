#!/usr/bin/env bash
# Guess: a graph that igraph writes as GraphML is read back by igraph, and by NetworkX, with the same values: the format
#   has the types long, double, boolean and string, and leaves out what a node does not have.
# What happens: igraph knows one number, a double, and writes 15 digits of it: ids of 16 digits and more change, and two
#   nodes may then have one id. Nothing is left out: of a node without a value, a text is the word None, a boolean is
#   false, a number is NaN. Reading NetworkX's file, which leaves such values out, igraph makes the same of them, but
#   an empty text.
# Version: igraph 1.0.0, networkx 3.6.1 (both from PyPI), Python 3.11 to 3.13.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever moves a graph between tools by GraphML: references by long ids are lost, and a person without a name is
#   called None.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check igraph==1.0.0 networkx==3.6.1
cat >"$folder/finding.py" <<'PY'
import sys
import igraph
import networkx

path = f"{sys.argv[1]}/graph.graphml"
graph = igraph.Graph(n=3, directed=True)
graph.vs["key"] = [9007199254740992, 9007199254740993, 1]
graph.vs["name"] = ["Ann", "Bob", None]
graph.vs["active"] = [True, True, None]
graph.write_graphml(path)
read = igraph.Graph.Read_GraphML(path)
print("igraph to igraph: key", [int(key) for key in read.vs["key"]], "name", read.vs["name"], "active", read.vs["active"])
nodes = networkx.read_graphml(path).nodes(data=True)
print("igraph to NetworkX: third node", dict(nodes)["n2"])
other = networkx.DiGraph()
other.add_node(1, key=9007199254740993, name="Bob", active=True)
other.add_node(2)
networkx.write_graphml(other, path)
print("NetworkX to NetworkX: second node", networkx.read_graphml(path).nodes["2"])
read = igraph.Graph.Read_GraphML(path)
print("NetworkX to igraph: first key", int(read.vs[0]["key"]), "second node", read.vs[1].attributes())
PY
expected=$(cat <<'EXPECTED'
igraph to igraph: key [9007199254740990, 9007199254740990, 1] name ['Ann', 'Bob', 'None'] active [True, True, False]
igraph to NetworkX: third node {'key': 1.0, 'name': 'None', 'active': False}
NetworkX to NetworkX: second node {}
NetworkX to igraph: first key 9007199254740992 second node {'active': False, 'name': '', 'key': nan, 'id': '2'}
EXPECTED
)
seen=$(timeout 60 "$folder/venv/bin/python" "$folder/finding.py" "$folder")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

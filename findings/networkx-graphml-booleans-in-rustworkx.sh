#!/usr/bin/env bash
# Guess: GraphML that NetworkX writes can be read by rustworkx, whose documentation offers it to users of NetworkX.
# What happens: NetworkX writes booleans as Python does, with a capital letter. rustworkx knows `true` and `false` only,
#   so one boolean makes it refuse the whole file.
# Version: networkx 3.6.1, rustworkx 0.18.1 (both from PyPI), Python 3.11 to 3.13.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever moves a graph from NetworkX to a faster library, or to another reader that knows these two words only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check networkx==3.6.1 rustworkx==0.18.1
cat >"$folder/finding.py" <<'PY'
import re
import sys
import networkx
import rustworkx

path = f"{sys.argv[1]}/graph.graphml"


def read():
    try:
        return rustworkx.read_graphml(path)[0].nodes()
    except Exception as error:
        return error


graph = networkx.DiGraph()
graph.add_node("ann", age=3)
networkx.write_graphml(graph, path)
print("without a boolean:", read())
graph.add_node("bob", active=True)
networkx.write_graphml(graph, path)
print("written:", re.search(r">(\w+)</data>\s*</node>\s*</graph>", open(path).read())[1])
print("with a boolean:", read())
text = open(path).read()
open(path, "w").write(text.replace(">True<", ">true<"))
print("in small letters:", [node.get("active") for node in read()])
print("NetworkX reads it:", networkx.read_graphml(path).nodes["bob"])
PY
expected=$(cat <<'EXPECTED'
without a boolean: [{'age': 3, 'id': 'ann'}]
written: True
with a boolean: Failed conversion to 'bool': provided string was not `true` or `false`
in small letters: [None, True]
NetworkX reads it: {'active': True}
EXPECTED
)
seen=$(timeout 60 "$folder/venv/bin/python" "$folder/finding.py" "$folder")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

#!/usr/bin/env bash
# Guess: GML is one format, so igraph reads what NetworkX writes and the other way round, with the same numbers, texts
#   and lists; what one of them cannot hold is an error.
# What happens: igraph keeps the last number of a list only, and shows texts with the escapes of the file: a quote comes
#   back as `&#34;`. It makes all numbers floats. NetworkX reads igraph's floats without a fraction as integers, loses
#   NaN, turns a line break in a text into a space, and refuses the word `Inf` that igraph writes, and any letter beyond
#   ASCII. NetworkX alone writes integers beyond 32 bits as texts, and reads them back as texts.
# Version: networkx 3.6.1, igraph 1.0.0 (PyPI), Python 3.11.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever passes a graph from one library to the other by GML: only refused values are noticed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check networkx==3.6.1 igraph==1.0.0
cat >"$folder/finding.py" <<'PY'
import sys
import igraph
import networkx

path = sys.argv[1]
values = {
    "integer": 1,
    "beyond 32 bits": 2**40,
    "whole float": 2.0,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "quote": 'say "yes"',
    "line break": "one\ntwo",
    "accent": "café",
    "list": [1, 2, 3],
}


def networkx_writes(value):
    graph = networkx.DiGraph()
    graph.add_node("a", value=value)
    graph.add_edge("a", "b")
    networkx.write_gml(graph, path)


def igraph_writes(value):
    graph = igraph.Graph(2, [(0, 1)], directed=True)
    graph.vs["label"] = ["a", "b"]
    graph.vs["value"] = [value, value]
    graph.write_gml(path)


def networkx_reads():
    return networkx.read_gml(path).nodes["a"].get("value", "nothing")


def igraph_reads():
    return igraph.Graph.Read_GML(path).vs[0]["value"]


ways = {
    "NetworkX to NetworkX": (networkx_writes, networkx_reads, values),
    "NetworkX to igraph": (networkx_writes, igraph_reads, values),
    # igraph writes no list at all.
    "igraph to NetworkX": (igraph_writes, networkx_reads, [name for name in values if name != "list"]),
}
for way, (write, read, names) in ways.items():
    print(way)
    for name in names:
        try:
            write(values[name])
            value = repr(read())
        except Exception as error:
            value = type(error).__name__
        if value != repr(values[name]):
            print(f"  {name}: {values[name]!r} -> {value}")
PY
expected=$(cat <<'EXPECTED'
NetworkX to NetworkX
  beyond 32 bits: 1099511627776 -> '1099511627776'
NetworkX to igraph
  integer: 1 -> 1.0
  beyond 32 bits: 1099511627776 -> '1099511627776'
  quote: 'say "yes"' -> 'say &#34;yes&#34;'
  line break: 'one\ntwo' -> 'one&#10;two'
  accent: 'café' -> 'caf&#233;'
  list: [1, 2, 3] -> 3.0
igraph to NetworkX
  whole float: 2.0 -> 2
  NaN: nan -> 'nothing'
  infinity: inf -> NetworkXError
  line break: 'one\ntwo' -> 'one two'
  accent: 'café' -> NetworkXError
EXPECTED
)
seen=$(timeout 60 "$folder/venv/bin/python" -W ignore "$folder/finding.py" "$folder/graph.gml")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

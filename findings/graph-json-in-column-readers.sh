#!/usr/bin/env bash
# Guess: a file with one JSON object a node, as graph databases export it, has the same keys and values in a table that
#   Polars, Arrow or DuckDB reads from it, or is refused.
# What happens: all three read it without an error. Polars looks at the first hundred lines: a property that only later
#   nodes have is not in the table. Because of one float in a column all three round its large integers, which are the
#   ids of other nodes; Arrow and DuckDB also because of one integer beyond 64 bits. DuckDB takes strings for UUIDs and
#   writes their letters small, so an id in capitals no longer equals the database's.
# Version: polars 2.1.0, pyarrow 26.0.1, duckdb 2.0.1 (PyPI), Python 3.11.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever compares two exports, or counts and joins by ids, in such a table. Exports come label by label, so the
#   properties of the second label are lost whole. Polars keeps them with `infer_schema_length=None`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0 pyarrow==26.0.1 duckdb==2.0.1
cat >"$folder/finding.py" <<'PY'
import json
import sys
import duckdb
import polars
import pyarrow.json

path = sys.argv[1]


def write(nodes):
    with open(path, "w") as file:
        file.writelines(json.dumps(node) + "\n" for node in nodes)


readers = {
    "polars": lambda: polars.read_ndjson(path).to_dicts(),
    "pyarrow": lambda: pyarrow.json.read_json(path).to_pylist(),
    "duckdb": lambda: duckdb.read_json(path).pl().to_dicts(),
}
ids = [2**53 + 1, 2**53 + 3]
capitals = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
graphs = {
    "a property of later nodes": (
        [{"labels": ["Airport"], "properties": {"code": f"A{at}"}} for at in range(150)]
        + [{"labels": ["City"], "properties": {"name": "Oslo"}}],
        lambda rows: rows[-1]["properties"].get("name"),
    ),
    "ids and one float": (
        [{"id": ids[0]}, {"id": ids[1]}, {"id": 0.5}],
        lambda rows: [int(row["id"]) for row in rows[:2]],
    ),
    "ids and one large integer": ([{"id": ids[0]}, {"id": 2**64}], lambda rows: int(rows[0]["id"])),
    "an id in capitals": ([{"id": capitals}], lambda rows: str(rows[0]["id"])),
}
for name, (nodes, shown) in graphs.items():
    write(nodes)
    print(f"{name}: {json.dumps(shown(nodes))}")
    for reader, read in readers.items():
        try:
            print(f"  {reader}: {json.dumps(shown(read()))}")
        except Exception as error:
            print(f"  {reader}: {type(error).__name__}")
PY
expected=$(cat <<'EXPECTED'
a property of later nodes: "Oslo"
  polars: null
  pyarrow: "Oslo"
  duckdb: "Oslo"
ids and one float: [9007199254740993, 9007199254740995]
  polars: [9007199254740992, 9007199254740996]
  pyarrow: [9007199254740992, 9007199254740996]
  duckdb: [9007199254740992, 9007199254740996]
ids and one large integer: 9007199254740993
  polars: 9007199254740993
  pyarrow: 9007199254740992
  duckdb: 9007199254740992
an id in capitals: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
  polars: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
  pyarrow: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
  duckdb: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
EXPECTED
)
seen=$(timeout 60 "$folder/venv/bin/python" "$folder/finding.py" "$folder/nodes.ndjson")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

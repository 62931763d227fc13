#!/usr/bin/env bash
# Guess: what `EXPORT DATABASE` of Kuzu writes as CSV, `IMPORT DATABASE` of the same version reads back equal, or refuses.
# What happens: both succeed, and values have changed. Doubles keep 12 significant digits. An empty string comes back as
#   null. A string in a list is divided at its commas, loses spaces at its ends, and an empty one becomes null or, if it
#   is the only one, goes. The other format, Parquet, refuses the whole database if it has one DECIMAL or INT128.
# Version: kuzu 0.11.3 (from PyPI), Python 3.9 to 3.13.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever backs a graph up, or moves it to another version, by these two statements, which is how the
#   documentation moves it: no error, no warning, and other values.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check kuzu==0.11.3
cat >"$folder/finding.py" <<'PY'
import sys
import kuzu

folder = sys.argv[1]
values = [
    ("DOUBLE", "0.30000000000000004"),
    ("DOUBLE", "123456.789012345"),
    ("STRING", "''"),
    ("STRING[]", "['Paris, France', 'Rome']"),
    ("STRING[]", "[' two  spaces ', 'b']"),
    ("STRING[]", "['']"),
    ("DOUBLE[]", "[0.30000000000000004]"),
]


def read(connection):
    return [connection.execute(f"MATCH (n:T{at}) RETURN n.value").get_next()[0] for at in range(len(values))]


origin = kuzu.Connection(kuzu.Database(f"{folder}/origin"))
for at, (kind, value) in enumerate(values):
    origin.execute(f"CREATE NODE TABLE T{at}(id INT64 PRIMARY KEY, value {kind})")
    origin.execute(f"CREATE (:T{at} {{id: 1, value: {value}}})")
origin.execute(f"EXPORT DATABASE '{folder}/csv' (format='csv')")
copy = kuzu.Connection(kuzu.Database(f"{folder}/copy"))
copy.execute(f"IMPORT DATABASE '{folder}/csv'")
for (kind, _), before, after in zip(values, read(origin), read(copy)):
    print(f"{kind}: {before!r} is {after!r}")
origin.execute("CREATE NODE TABLE Price(id INT64 PRIMARY KEY, value DECIMAL(10, 2))")
try:
    origin.execute(f"EXPORT DATABASE '{folder}/parquet' (format='parquet')")
    print("Parquet: exported")
except RuntimeError as error:
    print(f"Parquet: {error}")
PY
expected=$(cat <<'EXPECTED'
DOUBLE: 0.30000000000000004 is 0.3
DOUBLE: 123456.789012345 is 123456.789012
STRING: '' is None
STRING[]: ['Paris, France', 'Rome'] is ['Paris', 'France', 'Rome']
STRING[]: [' two  spaces ', 'b'] is ['two  spaces', 'b']
STRING[]: [''] is []
DOUBLE[]: [0.30000000000000004] is [0.3]
Parquet: Runtime exception: Writing a column with type: DECIMAL to parquet is not supported.
EXPECTED
)
seen=$(timeout 60 "$folder/venv/bin/python" "$folder/finding.py" "$folder")
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

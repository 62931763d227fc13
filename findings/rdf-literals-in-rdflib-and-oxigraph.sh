#!/usr/bin/env bash
# Guess: RDFLib and Oxigraph give back a literal with the text that it had: in RDF two literals are one only if their
#   texts are equal. Where a library makes the text canonical, the value stays.
# What happens: both replace texts by others of the same value while they read: `01` by `1`, twelve months by a year.
#   Two statements of a file may then be one. RDFLib also changes values: seconds keep six digits, a date loses its
#   zone, and INF becomes `inf`, which XML Schema does not allow. Oxigraph changes a float beyond 24 bits to the nearest
#   one, and 24:00 to midnight of the next day. For none of these is there an error.
# Version: rdflib 7.6.0, pyoxigraph 0.5.13 (PyPI), Python 3.11.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever compares two exports line by line, signs a graph, or keeps identifiers such as `007` as numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rdflib==7.6.0 pyoxigraph==0.5.13
cat >"$folder/finding.py" <<'PY'
import pyoxigraph
import rdflib

schema = "http://www.w3.org/2001/XMLSchema#"
literals = [
    ("01", "integer"),
    ("1.50", "decimal"),
    ("16777217", "float"),
    ("INF", "double"),
    ("2020-01-01T00:00:00.1234567Z", "dateTime"),
    ("2020-01-01T24:00:00Z", "dateTime"),
    ("2020-01-01Z", "date"),
    ("P12M", "duration"),
    ("PT0.000000001S", "duration"),
]


def line(text, kind, predicate="value"):
    return f'<http://example.org/a> <http://example.org/{predicate}> "{text}"^^<{schema}{kind}> .\n'


def in_rdflib(lines):
    return rdflib.Graph().parse(data=lines, format="nt")


def in_oxigraph(lines):
    store = pyoxigraph.Store()
    store.load(lines.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return store


for text, kind in literals:
    (_, _, read), *_ = in_rdflib(line(text, kind))
    (quad,) = in_oxigraph(line(text, kind))
    print(f"{kind} {text}: RDFLib {read}, Oxigraph {quad.object.value}")

both = line("1", "integer") + line("01", "integer")
print(f"two statements: RDFLib {len(in_rdflib(both))}, Oxigraph {len(in_oxigraph(both))}")
PY
expected=$(cat <<'EXPECTED'
integer 01: RDFLib 1, Oxigraph 1
decimal 1.50: RDFLib 1.50, Oxigraph 1.5
float 16777217: RDFLib 16777217.0, Oxigraph 16777216
double INF: RDFLib inf, Oxigraph INF
dateTime 2020-01-01T00:00:00.1234567Z: RDFLib 2020-01-01T00:00:00.123456+00:00, Oxigraph 2020-01-01T00:00:00.1234567Z
dateTime 2020-01-01T24:00:00Z: RDFLib 2020-01-01T24:00:00Z, Oxigraph 2020-01-02T00:00:00Z
date 2020-01-01Z: RDFLib 2020-01-01, Oxigraph 2020-01-01Z
duration P12M: RDFLib P1Y, Oxigraph P1Y
duration PT0.000000001S: RDFLib P0D, Oxigraph PT0.000000001S
two statements: RDFLib 1, Oxigraph 1
EXPECTED
)
seen=$(timeout 60 "$folder/venv/bin/python" "$folder/finding.py" 2>"$folder/errors") ||
  { cat "$folder/errors" >&2; exit 1; }
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

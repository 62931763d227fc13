#!/bin/sh
# Compares the objects of the Helm chart with the objects of the kustomization. With the chart's default values they are
# equal, except for the annotation checksum/settings, with which only the chart restarts pods after a change of
# settings.
#
#   deploy/compare.sh      needs helm 3 and kubectl, and what `npm run check` installs
set -eu
cd "$(dirname "$0")/.."
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

# One object after the other by kind and name, with sorted keys.
sorted() {
  node_modules/.bin/node -e '
    const { parseAllDocuments, stringify } = require("yaml")
    const objects = parseAllDocuments(fs.readFileSync(0, "utf8")).map((document) => document.toJS())
    for (const { spec } of objects) delete spec?.template?.metadata.annotations["checksum/settings"]
    const key = ({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`
    objects.sort((a, b) => (key(a) < key(b) ? -1 : 1))
    console.log(objects.map((object) => stringify(object, { sortMapEntries: true })).join("---\n"))'
}

kubectl kustomize deploy/kubernetes | sorted > "$files/kustomization"
helm template packets deploy/helm --namespace packets | sorted > "$files/chart"
diff -u "$files/kustomization" "$files/chart"
echo "equal: $(grep -c ^kind: "$files/chart") objects"

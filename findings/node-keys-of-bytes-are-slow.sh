#!/usr/bin/env bash
# Guess: an HMAC takes the same processor time whether its key is a Buffer or a KeyObject; if not, the Buffer is quicker,
#   as nothing needs to be made first. A minor release of a Node.js with long support changes none of this.
# What happens: since 24.18.0 an HMAC with a key of bytes takes three to seven times as long as one with a KeyObject (19
#   to 34 µs instead of 3 to 6), and AES-GCM five times. So do 26.3.1 to 26.8.2; 26.9.0 is quick again, 24.21.0 is not.
#   Keys that are texts are as quick as before, but keys that were derived by an HMAC are bytes: a signature for S3
#   (version 4) has four of these, so that a presigned link of the client `minio` takes 198 µs instead of 43.
# Version: Node.js 24.17.0, 24.21.0, 26.9.0 (npm `node`), minio 8.0.6.
# Output seen: the lines between EXPECTED below. Each ratio is of the processor time of a process, median of five.
# Hurts: whoever signs each request or each link (S3, webhooks, tokens) or encrypts small texts, and updates Node.js.
#   `createSecretKey(bytes)` costs 2 to 4 µs and avoids it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" minio@8.0.6
cat >"$folder/finding.mjs" <<'JS'
import { createCipheriv, createHmac, createSecretKey } from 'node:crypto'
import { Client } from 'minio'

const bytes = Buffer.alloc(32, 7)
const key = createSecretKey(bytes)
const nonce = Buffer.alloc(12)
const text = 'x'.repeat(100)
const client = new Client({ endPoint: '127.0.0.1', accessKey: 'a', secretKey: 'secret', region: 'us-east-1' })

const calls = 4_000
/** Microseconds of processor time a call: the median of five times 4,000 calls, after as many that do not count. */
async function timeOf(call) {
  const times = []
  for (let round = 0; round < 6; round++) {
    const before = process.cpuUsage()
    for (let done = 0; done < calls; done++) await call()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / calls)
  }
  return times.slice(1).sort((a, b) => a - b)[2]
}

const hmac = (of) => createHmac('sha256', of).update(text).digest()
const seal = (of) => createCipheriv('aes-256-gcm', of, nonce).update(text)
const slower = (one, other, times) => (one > times * other ? `more than ${times} times` : `at most ${times} times`)
const [hmacs, seals] = [await timeOf(() => hmac(key)), await timeOf(() => seal(key))]
console.log(`HMAC, bytes: ${slower(await timeOf(() => hmac(bytes)), hmacs, 2)} a KeyObject`)
console.log(`HMAC, text: ${slower(await timeOf(() => hmac(text)), hmacs, 2)} a KeyObject`)
console.log(`AES-GCM, bytes: ${slower(await timeOf(() => seal(bytes)), seals, 2)} a KeyObject`)
const link = await timeOf(() => client.presignedGetObject('bucket', 'key', 60))
process.stderr.write(`${process.version} ${hmacs.toFixed(1)} ${link.toFixed(1)} us a link\n`)
JS
expected=$(
  cat <<'EXPECTED'
Node.js 24.17.0
HMAC, bytes: at most 2 times a KeyObject
HMAC, text: at most 2 times a KeyObject
AES-GCM, bytes: at most 2 times a KeyObject
Node.js 24.21.0
HMAC, bytes: more than 2 times a KeyObject
HMAC, text: at most 2 times a KeyObject
AES-GCM, bytes: more than 2 times a KeyObject
Node.js 26.9.0
HMAC, bytes: at most 2 times a KeyObject
HMAC, text: at most 2 times a KeyObject
AES-GCM, bytes: at most 2 times a KeyObject
EXPECTED
)
seen=$(
  for version in 24.17.0 24.21.0 26.9.0; do
    npm install --silent --no-audit --no-fund --prefix "$folder/$version" "node@$version"
    echo "Node.js $version"
    "$folder/$version/node_modules/.bin/node" "$folder/finding.mjs"
  done
)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

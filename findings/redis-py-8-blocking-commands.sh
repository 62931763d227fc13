#!/usr/bin/env bash
# Guess: a blocking command of redis-py, such as `bzpopmin(key, timeout=7)`, answers None after its seven seconds if nothing
#   comes, in every version.
# What happens: redis-py 8 waits five seconds for any answer, by default. It then drops the connection, sends the command
#   again, many times, and ends with an error after about a minute. BullMQ's library for Python, which installs redis-py 8,
#   waits by such a command until the next delayed job is due: of an idle queue, a job with a delay of more than five
#   seconds is not begun when it is due, and no error event says why. With redis-py 7 both do what one expects.
# Version: redis 8.1.0 and 7.4.1, bullmq 3.4.4 (all from PyPI), Redis 6.2.6 (from Maven:
#   com.github.codemonstur:embedded-redis 1.4.4), Node.js 20 or later for a free port, Python 3.11 to 3.13.
# Output seen: the lines between EXPECTED below.
# Hurts: every queue in Python that blocks for longer than five seconds; retries with a backoff, and schedules, come late.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill -9 "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>com.github.codemonstur</groupId><artifactId>embedded-redis</artifactId><version>1.4.4</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:unpack-dependencies -DincludeArtifactIds=embedded-redis \
  '-Dmdep.unpack.includes=redis-server-*' "-DoutputDirectory=$folder"
redis="$folder/redis-server-6.2.6-v5-linux-amd64"
chmod +x "$redis"
port=$(node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close() })")
"$redis" --port "$port" --bind 127.0.0.1 --save '' --maxmemory-policy noeviction >"$folder/redis.log" 2>&1 &
server=$!
cat >"$folder/finding.py" <<'PY'
import asyncio
import sys
import time
import bullmq
import redis
import redis.asyncio

port, name = int(sys.argv[1]), f"redis-py {redis.__version__}"


async def block():
    client = redis.asyncio.Redis(host="127.0.0.1", port=port)
    begun = time.monotonic()
    try:
        answer = repr(await client.bzpopmin("nothing", timeout=7))
    except redis.exceptions.RedisError as error:
        answer = type(error).__name__
    seconds = time.monotonic() - begun
    when = "after 7 to 9 s" if 7 <= seconds < 9 else "after more than 20 s" if seconds > 20 else f"after {seconds} s"
    print(f"{name}: bzpopmin for 7 s: {answer}, {when}")


async def delay():
    options = {"connection": f"redis://127.0.0.1:{port}"}
    started, errors = [], []

    async def work(job, token):
        started.append(time.monotonic())

    worker = bullmq.Worker(redis.__version__, work, options)
    worker.on("error", lambda *error: errors.append(error))
    queue = bullmq.Queue(redis.__version__, options)
    await asyncio.sleep(1)
    due = time.monotonic() + 7
    await queue.add("job", {}, {"delay": 7_000})
    await asyncio.sleep(12)
    times = "not begun 5 s after it is due" if not started else "begun" if started[0] < due + 3 else "begun late"
    print(f"{name}: a delayed job: {times}, {len(errors)} errors", flush=True)


async def main():
    await block()
    await delay()


asyncio.run(asyncio.wait_for(main(), 150))
PY
expected=$(cat <<'EXPECTED'
redis-py 7.4.1: bzpopmin for 7 s: None, after 7 to 9 s
redis-py 7.4.1: a delayed job: begun, 0 errors
redis-py 8.1.0: bzpopmin for 7 s: TimeoutError, after more than 20 s
redis-py 8.1.0: a delayed job: not begun 5 s after it is due, 0 errors
EXPECTED
)
seen=
for version in 7.4.1 8.1.0; do
  python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install --quiet --disable-pip-version-check bullmq==3.4.4 "redis==$version"
  seen+=$(timeout 180 "$folder/$version/bin/python" "$folder/finding.py" "$port" 2>"$folder/errors")$'\n'
done
printf '%s' "$seen"
[ "$seen" = "$expected"$'\n' ] || { echo 'the behaviour has changed' >&2; cat "$folder/errors" >&2; exit 1; }

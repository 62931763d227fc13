#!/usr/bin/env bash
# Guess: an object is created only if its key is free (`If-None-Match: *`), and the answer of the store is lost. The
#   client says that it does not know whether it wrote, or looks; "already exists" means that somebody else was first.
#   s3fs says so by FileExistsError, as it does for the directories that it makes.
# What happens: obstore, s3fs and OpenDAL with its RetryLayer send the request again, and report the 412 that their own
#   first request causes: the caller learns that it lost, although its object is there. OpenDAL without that layer ends
#   with a temporary error. s3fs raises a plain OSError with EINVAL, also if another writer was really first.
# Version: obstore 0.12.1, s3fs 2026.9.0, opendal 0.47.12 (PyPI, Python 3.11), S3Proxy 4.1.1 (Maven Central), JDK 17.
# Output seen: the lines between EXPECTED below.
# Hurts: whoever takes a lock, a sequence number or a commit by creating an object: after one lost answer every writer
#   believes that another has it. Put an author into the object, and read it before you believe the error.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill -9 "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT
cat >"$folder/pom.xml" <<'POM'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
  <dependencyManagement><dependencies><dependency>
    <groupId>com.fasterxml.jackson</groupId><artifactId>jackson-bom</artifactId><version>2.21.1</version>
    <type>pom</type><scope>import</scope>
  </dependency></dependencies></dependencyManagement>
  <dependencies><dependency>
    <groupId>org.gaul</groupId><artifactId>s3proxy</artifactId><version>4.1.1</version>
  </dependency></dependencies>
</project>
POM
mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$folder/jars"
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check obstore==0.12.1 s3fs==2026.9.0 opendal==0.47.12
port=$(python3 -c "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])")
cat >"$folder/s3proxy.properties" <<PROPERTIES
s3proxy.endpoint=http://127.0.0.1:$port
s3proxy.authorization=none
jclouds.provider=transient-nio2
jclouds.identity=unused
jclouds.credential=unused
PROPERTIES
cat >"$folder/logback.xml" <<'XML'
<configuration><root level="OFF"/></configuration>
XML
java -Xmx300m "-Dlogback.configurationFile=$folder/logback.xml" -cp "$folder/jars/*" org.gaul.s3proxy.Main \
  --properties "$folder/s3proxy.properties" >"$folder/output" 2>&1 &
server=$!
cat >"$folder/finding.py" <<'PY'
import errno
import http.client
import http.server
import sys
import threading
import time
import obstore
import opendal
import s3fs
from obstore.store import S3Store

store = int(sys.argv[1])
lost = set()


class Proxy(http.server.BaseHTTPRequestHandler):
    """Passes requests on. It closes the connection instead of the first answer to a creation of a key `lost-…`."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        ask = http.client.HTTPConnection("127.0.0.1", store)
        ask.request(self.command, self.path, body, dict(self.headers))
        answer = ask.getresponse()
        text = answer.read()
        if self.command == "PUT" and "/lost-" in self.path and self.path not in lost:
            lost.add(self.path)
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "date", "server"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_PUT = pass_on


proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
threading.Thread(target=proxy.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{proxy.server_address[1]}"


def direct(method, path):
    ask = http.client.HTTPConnection("127.0.0.1", store)
    ask.request(method, path)
    answer = ask.getresponse()
    return answer.status, answer.read()


for _ in range(100):
    try:
        direct("PUT", "/bucket")
        break
    except OSError:
        time.sleep(0.2)

keys = {"access_key_id": "a", "secret_access_key": "b", "region": "us-east-1"}
objects = S3Store("bucket", endpoint=url, client_options={"allow_http": True}, **keys)
plain = opendal.Operator("s3", bucket="bucket", endpoint=url, **keys)
again = plain.layer(opendal.layers.RetryLayer())
files = s3fs.S3FileSystem(key="a", secret="b", endpoint_url=url)

clients = {
    "obstore": lambda key: obstore.put(objects, key, b"mine", mode="create"),
    "s3fs": lambda key: files.pipe_file(f"bucket/{key}", b"mine", mode="create"),
    "opendal": lambda key: plain.write(key, b"mine", if_not_exists=True),
    "opendal with RetryLayer": lambda key: again.write(key, b"mine", if_not_exists=True),
}


def told(create, key):
    try:
        create(key)
        return "created"
    except Exception as error:
        number = getattr(error, "errno", None)
        return type(error).__name__ + (f" {errno.errorcode[number]}" if number else "")


for name, create in clients.items():
    for kind in ("free", "taken", "lost answer"):
        key = f"{'lost' if kind == 'lost answer' else 'key'}-{name.replace(' ', '-')}"
        answer = told(create, key)
        status, text = direct("GET", f"/bucket/{key}")
        print(f"{name}, {kind}: {answer}; then the object is {text.decode() if status == 200 else 'missing'}")
PY
expected=$(cat <<'EXPECTED'
obstore, free: created; then the object is mine
obstore, taken: AlreadyExistsError; then the object is mine
obstore, lost answer: AlreadyExistsError; then the object is mine
s3fs, free: created; then the object is mine
s3fs, taken: OSError EINVAL; then the object is mine
s3fs, lost answer: OSError EINVAL; then the object is mine
opendal, free: created; then the object is mine
opendal, taken: ConditionNotMatch; then the object is mine
opendal, lost answer: Unexpected; then the object is mine
opendal with RetryLayer, free: created; then the object is mine
opendal with RetryLayer, taken: ConditionNotMatch; then the object is mine
opendal with RetryLayer, lost answer: ConditionNotMatch; then the object is mine
EXPECTED
)
seen=$(timeout 120 "$folder/venv/bin/python" "$folder/finding.py" "$port" 2>"$folder/errors") ||
  { cat "$folder/errors" >&2; exit 1; }
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { echo 'the behaviour has changed' >&2; exit 1; }

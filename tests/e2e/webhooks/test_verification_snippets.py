"""Runs the webhook verification functions of docs/guide/integration.md in their languages. All must accept and reject
the same webhooks.

Needs no server. Skips languages whose runtime is missing; `tools/install dev` installs all runtimes.
"""

import base64
import contextlib
import dataclasses
import hashlib
import hmac
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/guide/integration.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
RUN_S = 300  # the first `go build` compiles the standard library
TOLERANCE_S = 300

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER_SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
ID = "msg_0akppvpd80005"
BODY = b'{"type":"order.succeeded","data":{"id":"ord_0akppvnzw0000","subject":"\xe8\x8c\xb6"}}'


# Test cases.


@dataclasses.dataclass(frozen=True)
class Case:
    """Arguments of one call of a verification function. None stands for a missing header. If `now` is None, the
    function uses the system clock."""
    secret: str
    id: str | None
    timestamp: str | None
    signature: str | None
    body: bytes
    now: int | None
    valid: bool


def sign(secret, message_id, timestamp, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def cases_at(now):
    """Returns the cases by name. `now` is the time of the webhooks in Unix seconds."""
    stamp = str(now)
    right = sign(SECRET, ID, stamp, BODY)
    wrong = sign(OTHER_SECRET, ID, stamp, BODY)
    bare = right.removeprefix("v1,")
    no_text = b"\xff\xfe\x00{\x80"
    cases = {}

    def add(name, valid, *, secret=SECRET, id=ID, timestamp=stamp, signature=right, body=BODY, at=now):
        assert name not in cases
        cases[name] = Case(secret, id, timestamp, signature, body, at, valid)

    def add_at(name, valid, timestamp, at=now):
        """Adds a case whose signature matches the timestamp, so that only the timestamp can cause a rejection."""
        add(name, valid, timestamp=timestamp, signature=sign(SECRET, ID, timestamp, BODY), at=at)

    add("valid", True)
    add("known answer of Standard Webhooks", True, id="msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp="1614265330",
        signature="v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", body=b'{"test": 2432232314}', at=1614265330)
    add("empty body", True, body=b"", signature=sign(SECRET, ID, stamp, b""))
    add("body that is not UTF-8", True, body=no_text, signature=sign(SECRET, ID, stamp, no_text))
    add("another body that is not UTF-8", False, body=b"\xfd\xfe\x00{\x80", signature=sign(SECRET, ID, stamp, no_text))

    add("changed body", False, body=BODY.replace(b"succeeded", b"failed"))
    add("body with a trailing newline", False, body=BODY + b"\n")
    add("changed id", False, id="msg_0akppvpd80006")
    add("changed timestamp", False, timestamp=str(now + 1))

    add("wrong secret", False, secret=OTHER_SECRET)
    add("empty secret", False, secret="")
    for secret in ("whsec_", "whsec_!!!!"):  # must be rejected: with an empty key everybody could sign
        add(f"secret {secret} and a signature with the empty key", False, secret=secret,
            signature=sign("whsec_", ID, stamp, BODY))
    add("secret without its prefix", False, secret=SECRET.removeprefix("whsec_"))

    add_at("as old as allowed", True, str(now - TOLERANCE_S))
    add_at("too old", False, str(now - TOLERANCE_S - 1))
    add_at("an hour old", False, str(now - 3600))
    add_at("as far in the future as allowed", True, str(now + TOLERANCE_S))
    add_at("too far in the future", False, str(now + TOLERANCE_S + 1))
    add_at("an hour in the future", False, str(now + 3600))
    add_at("by the program's clock", True, stamp, at=None)
    add_at("too old by the program's clock", False, str(now - 3600), at=None)
    add_at("too far in the future by the program's clock", False, str(now + 3600), at=None)

    fullwidth = "".join(chr(ord(digit) - ord("0") + ord("０")) for digit in stamp)
    for timestamp in ("", "now", "-" + stamp, "+" + stamp, " " + stamp, stamp + "\n", stamp + ".0", stamp + "x",
                      stamp[0] + "_" + stamp[1:], hex(now), fullwidth, "9" * 19, "9" * 400, "NaN"):
        add_at(f"malformed timestamp {timestamp!r:.30}", False, timestamp)

    for name in ("id", "timestamp", "signature"):
        add(f"{name} missing", False, **{name: None})
    add("all headers missing", False, id=None, timestamp=None, signature=None)
    add("empty id", False, id="", signature=sign(SECRET, "", stamp, BODY))
    add("id that is not ASCII", False, id="消息")

    add("empty signature", False, signature="")
    add("signature of spaces", False, signature="   ")
    add("malformed base64", False, signature="v1,!!!not*base64!!!")
    add("signature that is not ASCII", False, signature="v1,é" + bare[1:])
    add("only the version", False, signature="v1,")
    add("without the version", False, signature=bare)
    add("cut off", False, signature=right[:-1])
    add("longer", False, signature=right + "A")
    add("of version v2", False, signature="v2," + bare)
    add("of version v1a", False, signature="v1a," + bare)
    add("of version v2, beside a valid one", True, signature=f"v2,{bare} {right}")
    add("malformed, beside a valid one", True, signature=f"v1,!! é {right}")
    add("new and old secret during a rotation", True, signature=f"{wrong} {right}")
    add("old and new secret during a rotation", True, signature=f"{right} {wrong}")
    add("two of wrong secrets", False, signature=f"{wrong} {wrong}")
    return cases


# Test programs, one per language. Each reads cases.json, a list of rows: secret, id, timestamp, signature and body as
# base64 or null, and `now` as a decimal string or null. Each prints a JSON list of booleans, true for accepted.

PYTHON_MAIN = '''
import base64, json
from webhook import verify_webhook

def text(value):
    return base64.b64decode(value).decode()

results = []
for secret, *headers, body, now in json.load(open("cases.json")):
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    given = {name: text(value) for name, value in zip(names, headers) if value is not None}
    arguments = [] if now is None else [int(now)]
    results.append(verify_webhook(text(secret), given, base64.b64decode(body), *arguments))
print(json.dumps(results))
'''

JS_MAIN = '''
import { readFileSync } from "node:fs";
import { verifyWebhook } from "./webhook.mjs";

const text = (value) => Buffer.from(value, "base64").toString();
const results = JSON.parse(readFileSync("cases.json")).map(([secret, id, timestamp, signature, body, now]) => {
  const headers = {};
  if (id !== null) headers["webhook-id"] = text(id);
  if (timestamp !== null) headers["webhook-timestamp"] = text(timestamp);
  if (signature !== null) headers["webhook-signature"] = text(signature);
  return verifyWebhook(text(secret), headers, Buffer.from(body, "base64"), ...(now === null ? [] : [Number(now)]));
});
console.log(JSON.stringify(results));
'''

# The JDK has no JSON parser. A regular expression suffices: a row has six values, strings without escapes or null.
JAVA_MAIN = '''
final class Main {
  private static byte[] bytes(String value) {
    return value == null ? null : java.util.Base64.getDecoder().decode(value);
  }

  private static String text(String value) {
    return value == null ? null : new String(bytes(value), UTF_8);
  }

  public static void main(String[] arguments) throws Exception {
    var tokens = java.util.regex.Pattern.compile("\\"([^\\"]*)\\"|null")
        .matcher(java.nio.file.Files.readString(java.nio.file.Path.of("cases.json")));
    var results = new java.util.ArrayList<Boolean>();
    while (tokens.find()) {
      String[] row = new String[6];
      for (int i = 0; i < row.length; i++) {
        row[i] = tokens.group(1);
        if (i + 1 < row.length && !tokens.find()) throw new IllegalStateException("row is not complete");
      }
      var headers = new java.util.HashMap<String, String>();
      headers.put("webhook-id", text(row[1]));
      headers.put("webhook-timestamp", text(row[2]));
      headers.put("webhook-signature", text(row[3]));
      Instant now = row[5] == null ? Instant.now() : Instant.ofEpochSecond(Long.parseLong(row[5]));
      results.add(Webhooks.verify(text(row[0]), headers::get, bytes(row[4]), now));
    }
    System.out.println(results);
  }
}

'''

GO_MAIN = '''
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"check/webhook"
)

func decoded(value string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		panic(err)
	}
	return bytes
}

func main() {
	file, err := os.ReadFile("cases.json")
	if err != nil {
		panic(err)
	}
	var rows [][6]*string
	if err := json.Unmarshal(file, &rows); err != nil {
		panic(err)
	}
	results := []bool{}
	for _, row := range rows {
		header := http.Header{}
		for i, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			if value := row[i+1]; value != nil {
				header.Set(name, string(decoded(*value)))
			}
		}
		now := time.Now()
		if row[5] != nil {
			seconds, err := strconv.ParseInt(*row[5], 10, 64)
			if err != nil {
				panic(err)
			}
			now = time.Unix(seconds, 0)
		}
		results = append(results, webhook.Verify(string(decoded(*row[0])), header, decoded(*row[4]), now))
	}
	out, _ := json.Marshal(results)
	fmt.Println(string(out))
}
'''

PHP_MAIN = '''<?php

declare(strict_types=1);

set_error_handler(fn (int $level, string $message) => throw new ErrorException($message));
require 'webhook.php';

$results = [];
foreach (json_decode(file_get_contents('cases.json')) as [$secret, $id, $timestamp, $signature, $body, $now]) {
    $given = ['webhook-id' => $id, 'webhook-timestamp' => $timestamp, 'webhook-signature' => $signature];
    $headers = array_map('base64_decode', array_filter($given, fn ($value) => $value !== null));
    $arguments = $now === null ? [] : [(int) $now];
    $results[] = verify_webhook(base64_decode($secret), $headers, base64_decode($body), ...$arguments);
}
echo json_encode($results), "\\n";
'''


@dataclasses.dataclass(frozen=True)
class Language:
    fence: str
    defines: str  # text that only the block of this language contains
    programs: tuple
    package: str  # Debian package of the runtime
    files: object  # function from the snippet to {file name: content}
    command: tuple  # run() replaces the program by its path
    build: tuple = ()


def java_files(snippet):
    """Returns one file for Java's single-file source launch. Java runs the first class of the file, so Main precedes
    Webhooks."""
    imports, class_, rest = snippet.partition("public final class Webhooks")
    return {"Verify.java": imports + JAVA_MAIN + class_ + rest}


def go_files(snippet):
    return {"webhook/webhook.go": snippet, "main.go": GO_MAIN, "go.mod": "module check\n\ngo 1.19\n"}


LANGUAGES = {
    "python": Language("python", "def verify_webhook(", (), "python3",
                       lambda snippet: {"webhook.py": snippet, "main.py": PYTHON_MAIN}, (sys.executable, "main.py")),
    "node": Language("js", "export function verifyWebhook(", ("node",), "nodejs",
                     lambda snippet: {"webhook.mjs": snippet, "main.mjs": JS_MAIN}, ("node", "main.mjs")),
    # Requires javac, because a JRE alone cannot compile the source file.
    "java": Language("java", "public final class Webhooks", ("java", "javac"), "default-jdk-headless", java_files,
                     ("java", "Verify.java")),
    "go": Language("go", "func Verify(", ("go",), "golang-go", go_files, ("./check",),
                   build=("go", "build", "-o", "check", ".")),
    "php": Language("php", "function verify_webhook(", ("php",), "php-cli",
                    lambda snippet: {"webhook.php": snippet, "main.php": PHP_MAIN}, ("php", "main.php")),
}
ALWAYS = {"python", "node"}


def block_with(fence, text):
    """Returns the only code block of the page in this language that contains the text. Fails if there is not exactly
    one."""
    found = [body for kind, body in FENCE.findall(PAGE.read_text(encoding="utf-8")) if kind == fence and text in body]
    assert len(found) == 1, f"{len(found)} blocks ```{fence} of {PAGE.name} contain {text!r}"
    return found[0]


def path_of(program):
    return shutil.which(program, path=os.environ.get("PATH", os.defpath) + os.pathsep + "/usr/local/go/bin")


def run(words, directory):
    environment = {**os.environ, "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOWORK": "off"}
    if not (os.environ.get("HOME") or os.environ.get("GOCACHE")):
        environment["GOCACHE"] = str(directory / "go-cache")
    done = subprocess.run([path_of(words[0]) or words[0], *words[1:]], cwd=directory, env=environment,
                          capture_output=True, text=True, timeout=RUN_S)
    assert done.returncode == 0, f"{words} exits with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def encoded(text):
    return None if text is None else base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def row_of(case):
    fields = [case.secret, case.id, case.timestamp, case.signature, case.body]
    return [*map(encoded, fields), None if case.now is None else str(case.now)]


# Tests.


@pytest.mark.parametrize("name", LANGUAGES)
def test_verification_function_accepts_valid_webhooks_and_rejects_all_others(name, tmp_path):
    language = LANGUAGES[name]
    snippet = block_with(language.fence, language.defines)
    if missing := [program for program in language.programs if not path_of(program)]:
        assert name not in ALWAYS, f"no {missing[0]}: tools/install test"
        pytest.skip(f"no {missing[0]}: apt-get install {language.package}, or tools/install dev")
    for file, text in language.files(snippet).items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    if language.build:
        run(language.build, tmp_path)
    cases = cases_at(int(time.time()))
    (tmp_path / "cases.json").write_text(json.dumps([row_of(case) for case in cases.values()]))
    results = json.loads(run(language.command, tmp_path))
    assert dict(zip(cases, results, strict=True)) == {case: expected.valid for case, expected in cases.items()}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def receiver(tmp_path):
    """Runs the webhook receiver of the guide in tmp_path. Yields its URL."""
    (tmp_path / "webhook.py").write_text(block_with("python", "def verify_webhook("), encoding="utf-8")
    (tmp_path / "receiver.py").write_text(block_with("python", "class Receiver("), encoding="utf-8")
    port = free_port()
    environment = {**os.environ, "WEBHOOK_SECRET": SECRET, "PORT": str(port)}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "receiver.py"], cwd=tmp_path, env=environment, stdout=log,
                                   stderr=log)
    try:
        deadline = time.monotonic() + 30
        while True:
            assert process.poll() is None and time.monotonic() < deadline, (tmp_path / "log").read_text()
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/hook"
    finally:
        process.kill()
        process.wait()


def post(url, headers, body):
    request = urllib.request.Request(url, body, headers, method="POST")
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def test_receiver_of_the_guide_stores_a_verified_webhook_once(receiver, tmp_path):
    def send(message_id, body, secret=SECRET):
        stamp = str(int(time.time()))
        return post(receiver, {"webhook-id": message_id, "webhook-timestamp": stamp, "Content-Type": "application/json",
                               "webhook-signature": sign(secret, message_id, stamp, body)}, body)

    assert send("msg_1", BODY) == 204
    assert send("msg_1", BODY) == 204
    assert send("msg_2", BODY) == 204
    assert send("msg_3", BODY, OTHER_SECRET) == 401
    assert post(receiver, {}, BODY) == 401
    with contextlib.closing(sqlite3.connect(tmp_path / "inbox.db")) as inbox:
        stored = inbox.execute("SELECT webhook_id, body FROM inbox ORDER BY webhook_id").fetchall()
    assert stored == [("msg_1", BODY), ("msg_2", BODY)]

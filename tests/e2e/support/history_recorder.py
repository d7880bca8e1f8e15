"""Records requests and their responses, one line each, in the input format of `finality history check`
(src/history/operation.h)."""

import contextlib
import hashlib
import json
import subprocess
import threading
import time
import urllib.parse

from api import Api
from finality_server import BINARY

CHECK_S = 120.0


class HistoryRecorder:
    """Writes the requests of all clients of this process to a file, with times of one monotonic clock. Thread-safe."""

    def __init__(self, file):
        self._file = file
        self._lock = threading.Lock()

    def record(self, method, path, headers, arguments, ask):
        """Calls `ask()`, which sends the request, records the result, and returns the response. An exception is
        recorded as an unanswered request and raised again."""
        line = {"call": time.monotonic_ns(), "client": threading.current_thread().name,
                "merchant": scope_of(headers), "method": method, "path": path_of(path, arguments)}
        if "Idempotency-Key" in headers:
            line["key"] = headers["Idempotency-Key"]
        if arguments.get("json"):
            line["body"] = arguments["json"]
        try:
            response = ask()
            line |= {"return": time.monotonic_ns(), "status": response.status_code, "answer": object_of(response)}
            if response.headers.get("Idempotent-Replayed") == "true":
                line["replayed"] = True
            return response
        finally:
            with self._lock:
                self._file.write(json.dumps(line) + "\n")


def scope_of(headers):
    """Returns a hash of the key and the merchant, so that the file contains no key."""
    names = [headers.get("Authorization", ""), headers.get("Finality-Merchant", "")]
    return hashlib.sha256(" ".join(names).encode()).hexdigest()[:12]


def path_of(path, arguments):
    query = urllib.parse.urlencode(arguments.get("params") or {})
    return f"{path}?{query}" if query else path


def object_of(response):
    try:
        answer = response.json()
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


@contextlib.contextmanager
def recorded(path):
    """Records the requests of all Api objects to the file until the block ends."""
    with path.open("w", encoding="utf-8", buffering=1) as file:
        Api.recorder = HistoryRecorder(file)
        try:
            yield path
        finally:
            Api.recorder = None


def check_history(path):
    """Runs `finality history check`. Fails if no order of events explains the responses. Returns the report."""
    result = subprocess.run([BINARY, "history", "check", path, "--json"], capture_output=True, text=True,
                            timeout=CHECK_S)
    assert result.stdout, f"history check ended with {result.returncode}: {result.stderr}"
    report = json.loads(result.stdout)
    impossible = report.pop("impossible")
    print("history:", report)
    findings = [f"{found['object']}: {found['rule']}: {found['detail']}\n"
            + "\n".join(json.dumps(operation) for operation in found["operations"][:20]) for found in impossible]
    assert not findings and result.returncode == 0, "\n".join([str(path), *findings])
    return report

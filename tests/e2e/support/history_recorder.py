"""Writes down what clients were told, one line per request, as `finality history check` reads it (the format stands in
src/history/operation.h)."""

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
    """All clients of this process share its clock. Thread safe."""

    def __init__(self, file):
        self._file = file
        self._lock = threading.Lock()

    def record(self, method, path, headers, arguments, ask):
        """What `ask()` answers; without an answer it raises, and that is written down too."""
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
    """Whose key it is, without the key."""
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
    """What every Api asks until the block ends is written to the file."""
    with path.open("w", encoding="utf-8", buffering=1) as file:
        Api.recorder = HistoryRecorder(file)
        try:
            yield path
        finally:
            Api.recorder = None


def check_history(path):
    """What the checker says of it; nothing may be impossible."""
    result = subprocess.run([BINARY, "history", "check", path, "--json"], capture_output=True, text=True,
                            timeout=CHECK_S)
    assert result.stdout, f"history check ended with {result.returncode}: {result.stderr}"
    report = json.loads(result.stdout)
    impossible = report.pop("impossible")
    print("history:", report)
    told = [f"{found['object']}: {found['rule']}: {found['detail']}\n"
            + "\n".join(json.dumps(operation) for operation in found["operations"][:20]) for found in impossible]
    assert not told and result.returncode == 0, "\n".join([str(path), *told])
    return report

"""Starts and stops `finality demo`, and runs `finality verify` over what it left."""

import json
import os
import pathlib
import signal
import socket
import subprocess

import requests

from wait import until

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("FINALITY_BINARY", ROOT / "build/release/finality")).absolute()
START_S = 30
STOP_S = 30
LOG_TAIL_BYTES = 8000


class FinalityServer:
    """One `finality demo` on a directory of its own; it keeps its ports over restarts."""

    running = []  # all that were started, so that a failing test can show their logs

    def __init__(self, data: pathlib.Path, time_scale: float = 1):
        self.data = data
        self.log = data / "demo.log"
        self.demo = None  # what demo.json says
        self._process = None
        self._sessions = []
        self._port, self._sandbox_port = free_ports(2)
        self._time_scale = time_scale
        data.mkdir(parents=True, exist_ok=True)

    def start(self):
        command = [BINARY, "demo", "--port", str(self._port), "--sandbox-port", str(self._sandbox_port), "--data",
                   self.data, "--time-scale", str(self._time_scale)]
        with self.log.open("ab") as log:
            # A session of its own, so that cleaning up can reach what the server started.
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                             start_new_session=True)
        self._sessions.append(self._process.pid)
        if self not in FinalityServer.running:
            FinalityServer.running.append(self)
        until(self._is_ready, "the server is ready", START_S)
        return self

    def _is_ready(self):
        assert self._process.poll() is None, f"the server ended with {self._process.returncode}:\n{self.log_tail()}"
        file = self.data / "demo.json"
        if not file.exists():
            return False
        try:
            ready = requests.get(f"http://127.0.0.1:{self._port}/readyz", timeout=5, proxies={"http": None})
        except requests.RequestException:
            return False
        if ready.status_code != 200:
            return False
        self.demo = json.loads(file.read_text(encoding="utf-8"))
        return True

    def kill(self):
        """As a power cut would: the server only, not the upstream world."""
        self._process.kill()
        self._process.wait()
        self._process = None

    def stop(self):
        """SIGTERM, as an operator does; it has to end with 0."""
        if self._process is None:
            return
        assert self._process.poll() is None, f"the server ended by itself:\n{self.log_tail()}"
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the server did not stop within {STOP_S} s of SIGTERM:\n{self.log_tail()}") from None
        self._process = None
        assert code == 0, f"the server ended with {code}:\n{self.log_tail()}"

    def clean_up(self):
        """Ends whatever is left of what was started here, after a failed test."""
        if self in FinalityServer.running:
            FinalityServer.running.remove(self)
        for session in self._sessions:
            try:
                os.killpg(session, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self._process is not None:
            self._process.wait()

    def verify(self):
        """What the auditor says of the whole store."""
        command = [BINARY, "verify", "--store", f"sqlite:{self.data / 'finality.db'}", "--json"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert result.stdout, f"verify ended with {result.returncode}: {result.stderr}"
        report = json.loads(result.stdout)
        assert report["violations"] == [], report["violations"]
        assert result.returncode == 0, result.stderr
        return report

    def log_tail(self):
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - LOG_TAIL_BYTES))
            return log.read().decode("utf-8", "replace")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()

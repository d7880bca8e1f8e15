"""Starts and stops `finality demo` and `finality serve`, and runs `finality verify` on their stores."""

import contextlib
import itertools
import json
import os
import pathlib
import select
import signal
import socket
import struct
import subprocess
import threading
import time

import requests

from store_place import store_of
from wait import until

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = pathlib.Path(os.environ.get("FINALITY_BINARY", ROOT / "build/release/finality")).absolute()
START_S = 30
STOP_S = 30
LOG_TAIL_BYTES = 8000


class ServerProcess:
    """A `finality` process with its own data directory. A restart keeps its ports."""

    running = []  # all started servers, so that a failing test can show their logs
    ready_path = "/readyz"

    def __init__(self, data: pathlib.Path, log_name: str, store: str = None):
        """`store` is the URL of the store, by default that of store_place.py for the directory `data`."""
        self.data = data
        self._store = store
        self.log = data / log_name
        self.clock_file = data / "clock"
        self.descriptors = None  # limit of open files; by default the limit of this process
        self.wrapper = []  # command that executes the program
        self.environment = {}  # variables that are added to those of this process
        self.file_bytes = None  # soft limit of the size of files, to simulate a full disk; by default none
        self.log_descriptor = None  # receives the log instead of the file
        self._process = None
        self._sessions = []
        data.mkdir(parents=True, exist_ok=True)

    @property
    def store(self):
        return self._store or store_of(self.data)

    @property
    def process_id(self):
        return self._process.pid

    def start(self):
        self.launch()
        until(self._is_ready, "the server is ready", START_S)
        return self

    def launch(self):
        """Starts the process, and does not wait until it is ready."""
        command = [*self.wrapper, BINARY, *self._arguments()]
        if self.descriptors:
            command = ["prlimit", f"--nofile=64:{self.descriptors}", *command]
        if self.file_bytes:
            command = ["prlimit", f"--fsize={self.file_bytes}:", *command]
        with self._open_log() as file:
            log = file if self.log_descriptor is None else self.log_descriptor
            # A separate session, so that clean_up() can also kill the processes that the server started.
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                             env=os.environ | self.environment, start_new_session=True)
        self._sessions.append(self._process.pid)
        if self not in ServerProcess.running:
            ServerProcess.running.append(self)

    def _arguments(self):
        raise NotImplementedError

    def _open_log(self):
        """Returns a new file to which the process writes its log."""
        return self.log.open("ab")

    def _is_ready(self):
        assert self._process.poll() is None, f"the server ended with {self._process.returncode}:\n{self.log_tail()}"
        try:
            ready = requests.get(f"http://127.0.0.1:{self._port}{self.ready_path}", timeout=5, proxies={"http": None})
        except requests.RequestException:
            return False
        return ready.status_code == 200

    def send(self, number):
        """Sends a signal to the process, if it runs."""
        process = self._process
        if process is not None:
            process.send_signal(number)

    def resident_mb(self):
        """Returns the resident memory of the process in MB, 0 if it does not run."""
        process = self._process
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii") if process else ""
        except (FileNotFoundError, ProcessLookupError):
            return 0
        return next((int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS:")), 0)

    def kill(self):
        """Kills the server with SIGKILL. Its sandbox keeps running."""
        self._process.kill()
        self._process.wait()
        self._process = None

    def stop(self):
        """Stops the server gracefully with SIGTERM. Fails if the exit code is not 0."""
        if self._process is None:
            return
        assert self._process.poll() is None, f"the server exited before it was stopped:\n{self.log_tail()}"
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the server did not stop within {STOP_S} s of SIGTERM:\n{self.log_tail()}") from None
        self._process = None
        assert code == 0, f"the server ended with {code}:\n{self.log_tail()}"

    def clean_up(self):
        """Kills every process of this object that still runs, for example after a failed test."""
        if self in ServerProcess.running:
            ServerProcess.running.remove(self)
        for session in self._sessions:
            try:
                os.killpg(session, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self._process is not None:
            self._process.wait()

    def verify(self):
        """Audits the store with `finality verify`. Fails on a violation. Returns the report."""
        command = [BINARY, "verify", "--store", self.store, "--json"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert result.stdout, f"verify ended with {result.returncode}: {result.stderr}"
        report = json.loads(result.stdout)
        assert report["violations"] == [], report["violations"]
        assert result.returncode == 0, result.stderr
        return report

    def advance(self, duration):
        """Advances the clock of the server and its sandbox. `duration` is a string such as "90s", "15m", "36h" or
        "7d"."""
        done = subprocess.run([BINARY, "clock", "advance", duration, "--file", self.clock_file], capture_output=True,
                              text=True, timeout=10)
        assert done.returncode == 0, done.stderr

    def now(self):
        """Returns the time of the server's clock in seconds since 1970, like time.time()."""
        [offset_ms] = struct.unpack("<q", self.clock_file.read_bytes()) if self.clock_file.exists() else [0]
        return time.time() + offset_ms / 1000

    def log_tail(self):
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - LOG_TAIL_BYTES))
            return log.read().decode("utf-8", "replace")


class FinalityServer(ServerProcess):
    """A `finality demo` process: a server with a test merchant, and its sandbox."""

    def __init__(self, data: pathlib.Path, time_scale: float = 1, keys: pathlib.Path = None):
        """`keys` is the directory of the simulated gateways' keys, by default `data`. Servers may share it, because
        generating the keys takes a second."""
        super().__init__(data, "demo.log")
        self.keys = keys or data
        self.demo = None  # the content of demo.json
        self._port, self._sandbox_port = free_ports(2)
        self._sandbox = None  # sandbox that start_sandbox() started
        self._time_scale = time_scale

    def _arguments(self):
        return ["demo", "--port", str(self._port), "--sandbox-port", str(self._sandbox_port), "--data", self.data,
                "--keys", self.keys, "--store", self.store, "--time-scale", str(self._time_scale)]

    def _is_ready(self):
        file = self.data / "demo.json"
        if not super()._is_ready() or not file.exists():
            return False
        self.demo = json.loads(file.read_text(encoding="utf-8"))
        return True

    def stop(self):
        super().stop()
        if self._sandbox is not None:
            self._sandbox.terminate()
            self._sandbox.wait(STOP_S)

    def kill_sandbox(self):
        """Kills only the sandbox with SIGKILL. On return its port and its lock file are free."""
        process = int(self._sandbox_note().read_text(encoding="ascii").split()[0])
        watched = os.pidfd_open(process)
        try:
            os.kill(process, signal.SIGKILL)
            ended, _, _ = select.select([watched], [], [], STOP_S)
            assert ended, f"the sandbox {process} outlived SIGKILL"
        finally:
            os.close(watched)

    def start_sandbox(self):
        """Starts a sandbox for the running server, with the directory and the port of the killed sandbox."""
        command = [BINARY, "sandbox", "--port", str(self._sandbox_port), "--data", self.data, "--keys", self.keys,
                   "--time-scale", str(self._time_scale), "--clock", self.clock_file]
        with (self.data / "sandbox.log").open("ab") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       start_new_session=True)
        self._sessions.append(process.pid)
        # Reaps the sandbox when it exits: the process that stops it waits until its process id no longer exists.
        threading.Thread(target=process.wait, daemon=True).start()
        self._sandbox = process
        until(self._sandbox_answers, "the sandbox is up", START_S)
        # A restarted server reads this file and then manages the sandbox as if it had started it.
        self._sandbox_note().write_text(f"{process.pid} {self._sandbox_port}\n", encoding="ascii")

    def _sandbox_answers(self):
        try:
            return requests.get(f"http://127.0.0.1:{self._sandbox_port}/healthz", timeout=5,
                                proxies={"http": None}).status_code == 200
        except requests.RequestException:
            return False

    def _sandbox_note(self):
        return self.data / "sandbox.pid"


class ConfiguredServer(ServerProcess):
    """A `finality serve` process with its own configuration. Its new store contains one administrator key and no
    merchant."""

    def __init__(self, data: pathlib.Path, settings: str = "", store: str = None, public_url: str = None, clock=False):
        """`settings` is TOML that is appended to the listen address, the public URL and the store. `public_url`
        defaults to this server's URL; with several nodes it is the URL of one of them. `clock` permits advance()."""
        super().__init__(data, "serve.log", store)
        self._has_clock = clock
        [self._port] = free_ports(1)
        self.base_url = f"http://127.0.0.1:{self._port}"
        self._config = data / "finality.toml"
        self.configure(settings, public_url)
        subprocess.run([BINARY, "migrate", "--store", self.store], capture_output=True, timeout=START_S, check=True)
        made = subprocess.run([BINARY, "keys", "create", "--store", self.store, "--role", "admin"],
                              capture_output=True, text=True, timeout=START_S)
        assert made.returncode == 0, made.stderr
        self.admin_key = made.stdout.strip()

    def configure(self, settings: str, public_url: str = None):
        """Writes the configuration that the next start reads. Parameters as in the constructor."""
        self._config.write_text(f'listen = "127.0.0.1:{self._port}"\npublic_url = "{public_url or self.base_url}"\n'
                                f'store = "{self.store}"\n{settings}', encoding="utf-8")

    def _arguments(self):
        return ["serve", "--config", self._config, *(["--clock", self.clock_file] if self._has_clock else [])]


class SandboxProcess(ServerProcess):
    """A `finality sandbox` process, for servers that run apart from it."""

    ready_path = "/healthz"

    def __init__(self, data: pathlib.Path, time_scale: float = 1, clock_file: pathlib.Path = None):
        """`clock_file` is the clock of the servers that the sandbox shares, by default the system clock."""
        super().__init__(data, "sandbox.log")
        [self._port] = free_ports(1)
        self._time_scale = time_scale
        self._shared_clock = ["--clock", clock_file] if clock_file else []
        self.url = f"http://127.0.0.1:{self._port}"
        self.secret_file = data / "sandbox.secret"

    def _arguments(self):
        return ["sandbox", "--port", str(self._port), "--data", self.data, "--time-scale", str(self._time_scale),
                *self._shared_clock]


@contextlib.contextmanager
def serving(data: pathlib.Path, settings: str = ""):
    """Runs a ConfiguredServer until the block ends, then stops it and audits its store. Yields the server."""
    server = ConfiguredServer(data, settings)
    try:
        yield server.start()
        server.stop()
        server.verify()
    finally:
        server.clean_up()


# Ports below the ephemeral range, with a separate range per pytest-xdist worker. No other process takes a free port
# before the server binds it.
PORTS_PER_WORKER = 22_000 // max(15, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_ports = itertools.cycle(range(10_000 + _worker * PORTS_PER_WORKER, 10_000 + (_worker + 1) * PORTS_PER_WORKER))
for _ in range(os.getpid() % PORTS_PER_WORKER):
    next(_ports)


def free_ports(count):
    return [next(port for port in _ports if is_free(port)) for _ in range(count)]


def is_free(port):
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # the servers set it too
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True

"""Runs the server under test, `finality demo`, with its sandbox and its own data directory."""

import contextlib
import json
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.request

START_S = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_ready(url, process):
    """Waits until the server is ready and returns the seconds that it took. Exits if the process ends before."""
    begin = time.monotonic()
    while time.monotonic() - begin < START_S:
        if process.poll() is not None:
            raise SystemExit(f"the server ended with {process.returncode}")
        with contextlib.suppress(OSError):  # urllib's errors are OSErrors
            urllib.request.urlopen(f"{url}/readyz", timeout=1).read()
            return time.monotonic() - begin
        time.sleep(0.001)
    raise SystemExit(f"the server was not ready after {START_S} s")


def resident_mb(process):
    """Returns the proportional set size (PSS) of the process in MB."""
    rollup = pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    return int(re.search(r"^Pss:\s+(\d+)", rollup, re.M)[1]) / 1024


@contextlib.contextmanager
def demo(run, name):
    """Runs `finality demo` until the block ends. Yields the content of its demo.json."""
    data = run.data / name
    ports = [str(free_port()), str(free_port())]
    with (run.data / f"{name}.log").open("w") as log:
        process = subprocess.Popen([run.binary, "demo", "--data", data, "--port", ports[0], "--sandbox-port", ports[1]],
                                   stdout=log, stderr=log)
    try:
        wait_until_ready(f"http://127.0.0.1:{ports[0]}", process)
        ready = data / "demo.json"
        deadline = time.monotonic() + START_S
        while not ready.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        yield json.loads(ready.read_text())
    finally:
        stop(process)


def stop(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

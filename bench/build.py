"""Measures a clean build, the size of the program, and the startup time and the memory of an idle server."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

from bench.server import free_port, resident_mb, stop, wait_until_ready

ROOT = pathlib.Path(__file__).resolve().parents[1]
STARTS = 5


def measure(run):
    run.progress("size, start, memory")
    binary = pathlib.Path(run.binary)
    stripped = run.data / "finality-stripped"
    subprocess.run(["strip", "-o", stripped, binary], check=True)
    run.table.add("the program, stripped", stripped.stat().st_size / 1e6, "MB")
    run.table.add("the program, with debug information", binary.stat().st_size / 1e6, "MB")
    begins, memory = zip(*(start(run, number) for number in range(STARTS)))
    run.table.add("startup of the server until ready, best of five", min(begins) * 1000, "ms")
    run.table.add("memory of the idle server", min(memory), "MB")
    if not run.quick:
        run.progress("a clean build")
        seconds, ended = build_seconds(run.data / "build", run.seconds_left())
        run.table.add("clean build, without a cache" + ("" if ended else ", aborted after"), seconds, "s")


def build_seconds(directory, most):
    """Builds the program from scratch. Returns the duration in seconds, and whether it finished within `most`
    seconds."""
    subprocess.run(["cmake", "--preset", "release", "-B", directory, "-DCMAKE_CXX_COMPILER_LAUNCHER="], cwd=ROOT, check=True,
                   capture_output=True)
    begin = time.monotonic()
    build = subprocess.Popen(["cmake", "--build", directory, "--target", "finality"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, start_new_session=True)
    ended = True
    try:
        printed, _ = build.communicate(timeout=max(most, 1))
        if build.returncode != 0:
            raise SystemExit(f"the build failed:\n{printed[-3000:]}")
    except subprocess.TimeoutExpired:
        ended = False
        os.killpg(build.pid, signal.SIGKILL)  # kills the compilers too
        build.communicate()
    seconds = time.monotonic() - begin
    shutil.rmtree(directory)
    return seconds, ended


def start(run, number):
    """Starts the server on an existing store. Returns the seconds until it is ready, and its memory in MB."""
    directory = run.data / f"start-{number}"
    directory.mkdir()
    port = free_port()
    (directory / "secret").write_text("0123456789abcdef" * 4 + "\n")
    (directory / "secret").chmod(0o600)
    config = directory / "finality.toml"
    config.write_text(f'store = "sqlite:{directory}/finality.db"\npublic_url = "http://127.0.0.1:{port}"\n'
                      f'listen = "127.0.0.1:{port}"\n[channels.sandbox]\nkind = "sandbox"\n'
                      f'url = "http://127.0.0.1:{free_port()}"\nsecret_file = "{directory}/secret"\n')
    run.finality("migrate", "--store", f"sqlite:{directory}/finality.db")
    with (directory / "log").open("w") as log:
        process = subprocess.Popen([run.binary, "serve", "--config", config], stdout=log, stderr=log)
    try:
        seconds = wait_until_ready(f"http://127.0.0.1:{port}", process)
        return seconds, resident_mb(process)
    finally:
        stop(process)

"""Building from nothing, the size of what comes out, starting it, and what it takes when it has nothing to do."""

import pathlib
import shutil
import subprocess
import time

from bench.server import free_port, resident_mb, stop, wait_until_ready

ROOT = pathlib.Path(__file__).resolve().parents[1]
STARTS = 5


def measure(run):
    if not run.quick:
        run.progress("a clean build")
        run.table.add("clean build, without a cache", build_seconds(run.data / "build"), "s")
    run.progress("size, start, memory")
    binary = pathlib.Path(run.binary)
    stripped = run.data / "finality-stripped"
    subprocess.run(["strip", "-o", stripped, binary], check=True)
    run.table.add("the program, stripped", stripped.stat().st_size / 1e6, "MB")
    run.table.add("the program, with what debugging needs", binary.stat().st_size / 1e6, "MB")
    begins, memory = zip(*(start(run, number) for number in range(STARTS)))
    run.table.add("start of the server to ready, the best of five", min(begins) * 1000, "ms")
    run.table.add("memory of the idle server", min(memory), "MB")


def build_seconds(directory):
    subprocess.run(["cmake", "--preset", "release", "-B", directory, "-DCMAKE_CXX_COMPILER_LAUNCHER="], cwd=ROOT, check=True,
                   capture_output=True)
    begin = time.monotonic()
    done = subprocess.run(["cmake", "--build", directory, "--target", "finality"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"the build failed:\n{done.stdout[-3000:]}{done.stderr}")
    seconds = time.monotonic() - begin
    shutil.rmtree(directory)
    return seconds


def start(run, number):
    """Seconds until it is ready on a store that is there, and MB once it is."""
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

"""Micro benchmarks of single operations without a store (bench/micro/, Google Benchmark)."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/release"


def measure(run):
    run.progress("building the micro benchmarks")
    for command in (["cmake", "--preset", "test"], ["cmake", "--build", BUILD, "--target", "finality_micro"]):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{done.stdout[-3000:]}{done.stderr}")
    run.progress("micro benchmarks")
    done = subprocess.run([BUILD / "finality_micro", "--benchmark_format=json",
                           f"--benchmark_min_time={run.choose(0.3, 0.05)}"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"the micro benchmarks failed:\n{done.stdout[-2000:]}{done.stderr}")
    add_rows(run.table, json.loads(done.stdout))


def add_rows(table, report):
    """Adds a row with the CPU time of each micro benchmark. Unlike elapsed time, it depends little on other load of the
    machine."""
    for one in report["benchmarks"]:
        if one.get("error_occurred"):
            raise SystemExit(f"{one['name']}: {one['error_message']}")
        table.add(f"micro: {one['name']}", one["cpu_time"], one["time_unit"])

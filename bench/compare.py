"""tools/bench --against REVISION: builds the revision and measures it and this program alternately.

The ratio of two measurements that follow each other depends little on the machine and its load. A pair is one
measurement of each program; the order within the pairs alternates. The median of the ratios must reach LEAST.
"""

import itertools
import os
import pathlib
import statistics
import subprocess

from bench import http, lifecycles_postgres, lifecycles_sqlite
from bench.server import demo

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The fixed revision that `--against base` names, so that many small losses cannot add up unnoticed. It moves only with a
# reason in docs/guide/performance.md.
BASE = pathlib.Path(__file__).with_name("base").read_text().strip()
LEAST = 0.97


# Each measurement takes the run and a name that no other measurement of the run has, and returns a rate.


def on_sqlite(merchants, clients, *options):
    def rate(run, name):
        store = run.data / f"{name}.db"
        result = lifecycles_sqlite.lifecycle(run, f"sqlite:{store}", "--payments", run.choose(20_000, 4_000), "--merchants",
                                             merchants, "--clients", clients, *options)
        for file in store.parent.glob(f"{store.name}*"):
            file.unlink()
        return result["payments_per_second"]
    return rate


def on_postgres(merchants, clients):
    def rate(run, name):
        payments_per_second, store = lifecycles_postgres.lifecycle(run, merchants, clients)
        run.drop_database(store)
        return payments_per_second
    return rate


def orders_over_http(run, name):
    with demo(run, name) as server:
        return http.wrk(server["base_url"], run.choose(10, 3), server["secret_key"])


def whole_payments(run, name):
    with demo(run, name) as server:
        return http.whole_payments(run, server)


MEASUREMENTS = {
    "lifecycles on SQLite, 1,000 merchants, 256 clients": on_sqlite(1000, 256),
    "lifecycles on SQLite, one hot merchant, 256 clients": on_sqlite(1, 256),
    "lifecycles with authorization and capture on SQLite": on_sqlite(1000, 256, "--capture", "manual"),
    "lifecycles on PostgreSQL, 1,000 merchants, 64 clients": on_postgres(1000, 64),
    "orders over HTTP, 64 connections": orders_over_http,
    "whole payments over HTTP, 1,024 under way": whole_payments,
}


def built(revision, progress):
    """Builds the program of the revision in build/against/ unless it exists. Returns the path of the program."""
    commit = subprocess.run(["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"], cwd=ROOT,
                            capture_output=True, text=True).stdout.strip()
    if not commit:
        raise SystemExit(f"tools/bench: {revision} is not a revision of this repository (a shallow clone lacks old ones)")
    checkout = ROOT / "build/against" / commit[:12]
    program = checkout / "build/release/finality"
    if not (checkout / "build/complete").exists():
        progress(f"building {commit[:12]}, about as long as `make build`")
        if not checkout.exists():
            subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, checkout], check=True)
        subprocess.run(["git", "checkout", "--quiet", "--force", commit], cwd=checkout, check=True)
        log = checkout / "build.log"
        with log.open("w") as out:
            if subprocess.run(["cmake", "--preset", "release"], cwd=checkout, stdout=out, stderr=out).returncode != 0:
                raise SystemExit(f"tools/bench: {commit[:12]} cannot be configured: see {log}")
            targets = subprocess.run(["ninja", "-C", "build/release", "-t", "targets", "all"], cwd=checkout,
                                     capture_output=True, text=True, check=True).stdout
            wanted = ["finality", *(["finality-lab"] if "\nfinality-lab:" in targets else [])]
            if subprocess.run(["cmake", "--build", "build/release", "--target", *wanted], cwd=checkout, stdout=out,
                              stderr=out).returncode != 0:
                raise SystemExit(f"tools/bench: {commit[:12]} does not build: see {log}")
        (checkout / "build/complete").touch()
    return program


def compare(run, revision, pairs):
    """Prints the ratios of this program to the revision's. Returns what is wrong: medians below LEAST. Skips measurements
    that only this program can run. Exits if a measurement fails for another reason."""
    programs = {"old": str(built(BASE if revision == "base" else revision, run.progress)), "new": run.binary}
    slower, measured, numbers = [], 0, itertools.count()
    print(f"| measurement, new ÷ {revision} | median | ratio of each pair |\n|---|---|---|", flush=True)
    for name, rate in MEASUREMENTS.items():
        ratios = []
        for pair in range(pairs):
            rates = {}
            for side in ("old", "new") if pair % 2 == 0 else ("new", "old"):
                run.progress(f"{name}: {side}, pair {pair + 1} of {pairs}")
                run.binary = programs[side]
                os.sync()
                try:
                    rates[side] = rate(run, f"compared-{next(numbers)}")
                except SystemExit as error:
                    if side == "new" or pair > 0:
                        raise
                    run.progress(str(error))
            if "old" not in rates:
                break
            ratios.append(rates["new"] / rates["old"])
        if not ratios:
            print(f"| {name} | – | {revision} cannot run it |", flush=True)
            continue
        measured += 1
        median = statistics.median(ratios)
        print(f"| {name} | {median:.3f} | {' '.join(f'{ratio:.2f}' for ratio in ratios)} |", flush=True)
        if median < LEAST:
            slower.append(f"{name}: {median:.3f}, allowed: {LEAST}")
    run.binary = programs["new"]
    return slower if measured else [f"{revision} can run no measurement"]

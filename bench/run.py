"""tools/bench [--quick] [--only SUBJECT,…] [--lines N] [--store NAME] [--check]: runs the benchmarks, prints one table,
writes bench/results/. With --check, it fails if a row misses a target.

tools/bench --against REVISION [--pairs N] [--quick] [--check]: compares this program with another revision (compare.py).

Many rows have a peer: a baseline measured in the same run on the same disk. Their ratio depends less on the machine
than the absolute value.
"""

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from bench import accounts, build, compare, growth, http, lifecycles_postgres, lifecycles_sqlite, machine, micro, nodes, statements
from bench.database import database_name, psql
from bench.table import Table

ROOT = pathlib.Path(__file__).resolve().parents[1]
MINUTES = 15
LAST_S = 15  # reserved for the cleanup at the end
# The last subjects use the time that the others leave.
SUBJECTS = {"machine": machine, "lifecycles_postgres": lifecycles_postgres, "lifecycles_sqlite": lifecycles_sqlite,
            "accounts": accounts, "nodes": nodes, "http": http, "micro": micro, "statements": statements, "growth": growth, "build": build}


class Run:
    """State that all subjects share: the working directory, the time limit and the table of results."""

    def __init__(self, quick, data, binary, results, lines=50_000, store=""):
        self.quick = quick
        self.store = store  # of `statements`; empty: all
        self.lines = lines  # of the statement that `statements` compares
        self.data = pathlib.Path(data)  # working directory on the measured disk, deleted at the end
        self.binary = str(binary)
        self.table = Table()
        self._results = pathlib.Path(results)
        self._server = contextlib.ExitStack()
        self._postgres = None
        self._databases = 0
        self._begin = time.monotonic()

    def choose(self, full, quick):
        return quick if self.quick else full

    def seconds_left(self):
        """Returns the seconds until the time limit of a full run."""
        return MINUTES * 60 - LAST_S - (time.monotonic() - self._begin)

    def progress(self, text):
        print(f"{time.monotonic() - self._begin:5.0f} s  {text}", file=sys.stderr, flush=True)

    def finality(self, *arguments):
        """Runs `finality` with these arguments. Returns its output, parsed if it is JSON. Exits if the program
        fails."""
        done = subprocess.run([self.binary, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"finality {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
        try:
            return json.loads(done.stdout)
        except ValueError:
            return done.stdout

    def verify(self, store):
        """Audits the store with `finality verify`. Exits if it reports a violation."""
        self.finality("verify", "--store", store)

    def new_sqlite(self, name):
        return f"sqlite:{self.data / name}.db"

    def new_database(self):
        """Creates a PostgreSQL database and returns its URL. The first call starts the server."""
        if self._postgres is None:
            self._postgres = self._server.enter_context(postgres())
        self._databases += 1
        name = f"bench_{self._databases}"
        psql(self._postgres, f"CREATE DATABASE {name}")
        before, after = self._postgres.split("?", 1)
        return f"{before.rsplit('/', 1)[0]}/{name}?{after}"

    def drop_database(self, url):
        psql(self._postgres, f"DROP DATABASE {database_name(url)} WITH (FORCE)")

    def save(self, name, text):
        self._results.mkdir(parents=True, exist_ok=True)
        (self._results / name).write_text(text)

    def show(self):
        print(self.table.markdown(), end="", flush=True)
        self.save("latest.json", json.dumps(self.table.rows, indent=1) + "\n")

    def close(self):
        self._server.close()


@contextlib.contextmanager
def postgres():
    """Runs a PostgreSQL server in a temporary directory and yields its URL. The server also stops if this process is
    killed."""
    server = subprocess.Popen([ROOT / "tools/postgres", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        if not url:
            raise SystemExit("PostgreSQL did not start")
        yield url
    finally:
        server.stdin.close()
        server.wait()


def main():
    parser = argparse.ArgumentParser(prog="tools/bench", description="Measures this machine.")
    parser.add_argument("--quick", action="store_true", help="at most two minutes, with less precise figures")
    parser.add_argument("--only", default="", metavar="SUBJECTS", help=f"comma-separated list of {', '.join(SUBJECTS)}")
    parser.add_argument("--lines", type=int, metavar="N", help="lines of the statement of `statements`; default 50,000, "
                        "with --quick 5,000")
    parser.add_argument("--store", default="", choices=list(statements.STORES), help="only store of `statements`")
    parser.add_argument("--check", action="store_true", help="fail if a target is missed, or with --against if this program "
                        f"has less than {compare.LEAST} of the other's rate")
    parser.add_argument("--against", metavar="REVISION", help="build this revision and compare the rates of both programs; "
                        f"`base`: {compare.BASE}")
    parser.add_argument("--pairs", type=int, default=5, metavar="N", help="with --against: measurements of each program")
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error("--pairs must be at least 1")
    if options.against is not None and (options.only or options.lines or options.store):
        parser.error("--only, --lines and --store do not apply to --against")
    only = options.only.split(",") if options.only else list(SUBJECTS)
    unknown = set(only) - set(SUBJECTS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")

    binary = pathlib.Path(os.environ.get("FINALITY_BINARY", ROOT / "build/release/finality")).resolve()
    with tempfile.TemporaryDirectory(prefix="finality-bench-") as data:
        lines = options.lines or (5_000 if options.quick else 50_000)
        run = Run(options.quick, data, binary, ROOT / "bench/results", lines, options.store)
        if options.against is not None:
            with contextlib.closing(run):
                slower = compare.compare(run, options.against, options.pairs)
            for text in slower:
                print(f"slower than {options.against}: {text}", file=sys.stderr)
            raise SystemExit(1 if options.check and slower else 0)
        with contextlib.closing(contextlib.ExitStack()) as ending:
            ending.callback(run.close)
            ending.callback(run.show)  # prints the results even if a later subject fails
            for name in only:
                SUBJECTS[name].measure(run)
    for text in run.table.missed:
        print(f"target missed: {text}", file=sys.stderr)
    if options.check and run.table.missed:
        raise SystemExit(1)
    run.progress("done")

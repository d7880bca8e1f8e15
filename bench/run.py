"""tools/bench [--quick] [--only SUBJECT,…]: measures, prints one table, writes bench/results/.

A figure says little by itself: where there is a peer, both are measured in the same run, on the same disk.
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

from bench import accounts, build, growth, http, lifecycles_postgres, lifecycles_sqlite, machine, micro, nodes
from bench.database import database_name, psql
from bench.table import Table

ROOT = pathlib.Path(__file__).resolve().parents[1]
MINUTES = 15
LAST_S = 15  # for what stands at the end: tidying up
# Those that take what time is left stand last.
SUBJECTS = {"machine": machine, "lifecycles_postgres": lifecycles_postgres, "lifecycles_sqlite": lifecycles_sqlite,
            "accounts": accounts, "nodes": nodes, "http": http, "micro": micro, "growth": growth, "build": build}


class Run:
    """What every subject gets: where to work, how long, and where its rows go."""

    def __init__(self, quick, data, binary, results):
        self.quick = quick
        self.data = pathlib.Path(data)  # on the disk that is measured; gone afterwards
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
        """Of what a full run may take."""
        return MINUTES * 60 - LAST_S - (time.monotonic() - self._begin)

    def progress(self, text):
        print(f"{time.monotonic() - self._begin:5.0f} s  {text}", file=sys.stderr, flush=True)

    def finality(self, *arguments):
        """Runs the program; answers with what it printed as JSON, or as text where it is none."""
        done = subprocess.run([self.binary, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"finality {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
        try:
            return json.loads(done.stdout)
        except ValueError:
            return done.stdout

    def verify(self, store):
        """What is fast and wrong counts for nothing."""
        self.finality("verify", "--store", store)

    def new_sqlite(self, name):
        return f"sqlite:{self.data / name}.db"

    def new_database(self):
        """A PostgreSQL database of one's own, on a server that is started when it is first asked for."""
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

    def finish(self):
        self._server.close()


@contextlib.contextmanager
def postgres():
    """A private server in a temporary directory; it ends when we do, however that comes about."""
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
    parser.add_argument("--quick", action="store_true", help="at most two minutes; the figures are rougher")
    parser.add_argument("--only", default="", metavar="SUBJECTS", help=f"of {', '.join(SUBJECTS)}; separated by commas")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else list(SUBJECTS)
    unknown = set(only) - set(SUBJECTS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")

    binary = pathlib.Path(os.environ.get("FINALITY_BINARY", ROOT / "build/release/finality")).resolve()
    with tempfile.TemporaryDirectory(prefix="finality-bench-") as data:
        run = Run(options.quick, data, binary, ROOT / "bench/results")
        with contextlib.closing(contextlib.ExitStack()) as ending:
            ending.callback(run.finish)
            ending.callback(run.show)  # also what was measured before something failed
            for name in only:
                SUBJECTS[name].measure(run)
    run.progress("done")

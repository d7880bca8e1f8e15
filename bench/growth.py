"""Measures the rate of payment lifecycles with millions of stored payments, compared with an empty store, and the size
of a stored payment. clones.py fills the stores. The measured payments belong to the same merchants as the stored
payments."""

import math
import pathlib
import sqlite3
import time

from bench.charts import line_chart
from bench.clones_postgres import PostgresClones
from bench.clones_sqlite import SqliteClones
from bench.database import database_name, psql


def measure(run):
    stored = run.choose(3_000_000, 50_000)
    lines = {"SQLite": on_sqlite(run, stored, run.seconds_left() / 4)}
    lines["PostgreSQL"] = on_postgres(run, stored, run.seconds_left() * 2 / 3)  # later subjects use the other third
    for name, line in lines.items():
        rates = list(line.values())
        run.table.add(f"lifecycles on {name}, {max(line):,} payments stored", rates[-1], "1/s", "an empty store", rates[0])
    run.save("growth.svg", line_chart("Lifecycles by payments stored", "payments stored", "lifecycles a second",
                                      {name: list(line.items()) for name, line in lines.items()}))


def on_sqlite(run, stored, seconds):
    store = run.new_sqlite("growth")
    path = pathlib.Path(store.removeprefix("sqlite:"))

    def merchants():
        with sqlite3.connect(path) as database:
            return [row[0] for row in database.execute("SELECT id FROM merchants WHERE id <> 1 ORDER BY id")]

    line = grow(run, "SQLite", store, stored, seconds, lambda: SqliteClones(path), merchants)
    run.table.add("a stored payment on SQLite", path.stat().st_size / max(line), "bytes")
    for file in path.parent.glob("growth.db*"):
        file.unlink()
    return line


def on_postgres(run, stored, seconds):
    store = run.new_database()

    def merchants():
        return psql(store, "SELECT id FROM merchants WHERE id <> 1 ORDER BY id").split()

    line = grow(run, "PostgreSQL", store, stored, seconds, lambda: PostgresClones(store), merchants)
    size = int(psql(store, f"SELECT pg_database_size('{database_name(store)}')"))
    run.table.add("a stored payment on PostgreSQL, with its indexes", size / max(line), "bytes")
    run.drop_database(store)
    return line


def grow(run, name, store, stored, seconds, make_clones, merchants):
    """Returns {stored payments: lifecycles per second}, starting with an empty store. A full run on a slow machine
    stores fewer than `stored` payments, so that it ends within `seconds`."""
    payments = run.choose(40_000, 5_000)  # enough for several seconds, because the caches are cold in the first second
    end = time.monotonic() + seconds
    run.progress(f"growth on {name}, an empty store")
    line = {0: lifecycles(run, store, payments)}
    clones = make_clones()
    list_of_merchants = run.data / "merchants"
    list_of_merchants.write_text("\n".join(map(str, merchants())) + "\n")
    there, filled_a_second = payments, math.inf
    for share in run.choose((1 / 30, 1 / 3, 1), (1,)):
        left = end - time.monotonic()
        missing = stored * share - there
        if not run.quick:
            missing = min(missing, filled_a_second * left) if left > 0 else 0
        copies = round(missing / clones.payments)
        if copies < 1:
            break
        run.progress(f"growth on {name}, filling up to {there + copies * clones.payments:,} payments")
        begin = time.monotonic()
        clones.add(copies)
        filled_a_second = copies * clones.payments / (time.monotonic() - begin)
        there += copies * clones.payments
        run.progress(f"growth on {name}, {there:,} payments stored")
        line[there] = lifecycles(run, store, payments, "--merchant-ids", list_of_merchants)
        there += payments
    return line


def lifecycles(run, store, payments, *options):
    return run.finality("bench", "lifecycle", "--store", store, "--payments", payments, "--merchants", 1000, *options,
                        "--json")["payments_per_second"]

"""Finds PostgreSQL's programs and runs queries with psql."""

import pathlib
import shutil
import subprocess

# The tables to which one payment lifecycle writes rows.
TABLES = ("orders", "payments", "receipts", "entries", "changes", "deliveries", "keys", "idempotency_keys", "idempotency_records")


def programs():
    """Returns the directory of the newest PostgreSQL programs, which Debian does not add to PATH."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/pgbench"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else pathlib.Path(shutil.which("pgbench")).parent


def database_name(url):
    return url.split("?", 1)[0].rsplit("/", 1)[1]


def psql(url, sql):
    done = subprocess.run(["psql", "-q", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-f", "-"], input=sql,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"psql: {done.stderr}")
    return done.stdout.strip()


def counts(url):
    lines = psql(url, "".join(f"SELECT '{table}', count(*) FROM {table};" for table in TABLES)).splitlines()
    return {table: int(count) for table, count in (line.split("|") for line in lines)}

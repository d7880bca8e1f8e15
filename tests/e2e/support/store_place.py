"""Chooses the store of a test server. By default it is a SQLite file in the server's directory. If FINALITY_POSTGRES is
the URL of a PostgreSQL server (tools/postgres run …), each store is a database of that server. With
FINALITY_DISTRIBUTED=1 a stand-in for Citus distributes the tables."""

import hashlib
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
SERVER = os.environ.get("FINALITY_POSTGRES")
DISTRIBUTED = os.environ.get("FINALITY_DISTRIBUTED") == "1"
STAND_IN = ROOT / "src/store/postgres/citus_stand_in.sql"
_made = set()


def store_of(data):
    """Returns the URL of the store for a server with the directory `data`. The first call per directory creates the
    PostgreSQL database."""
    if SERVER is None:
        return f"sqlite:{data / 'finality.db'}"
    name = database_of(data)
    before, after = SERVER.split("?", 1)
    url = f"{before.rsplit('/', 1)[0]}/{name}?{after}"
    if name not in _made:
        _made.add(name)
        run_psql(SERVER, "-c", f"CREATE DATABASE {name}")
        if DISTRIBUTED:
            run_psql(url, "-f", STAND_IN)
            binary = os.environ.get("FINALITY_BINARY", ROOT / "build/release/finality")
            subprocess.run([binary, "migrate", "--store", url, "--distributed", "citus"], check=True, capture_output=True,
                           timeout=60)
    return url


def copy_store(data, copy):
    """Copies the store of the directory `data`, so that it is the store of the directory `copy`. REQUIRES: no server
    uses the store, and store_of(copy) has not been called."""
    if SERVER is None:
        for file in data.glob("finality.db*"):
            shutil.copy(file, copy)
        return
    _made.add(database_of(copy))
    run_psql(SERVER, "-c", f"CREATE DATABASE {database_of(copy)} TEMPLATE {database_of(data)}")


def database_of(data):
    return "e2e_" + hashlib.sha256(str(data).encode()).hexdigest()[:16]


def run_psql(url, *arguments):
    subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, *arguments], check=True, capture_output=True,
                   timeout=60)

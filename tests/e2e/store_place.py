"""Where a server of the tests keeps its books: SQLite in its own directory or, when FINALITY_POSTGRES names a PostgreSQL
(tools/postgres run …), a database of its own there."""

import hashlib
import os
import subprocess

SERVER = os.environ.get("FINALITY_POSTGRES")
_made = set()


def store_of(data):
    """The store's URL for a server on that directory; the database is made when it is first asked for."""
    if SERVER is None:
        return f"sqlite:{data / 'finality.db'}"
    name = "e2e_" + hashlib.sha256(str(data).encode()).hexdigest()[:16]
    if name not in _made:
        _made.add(name)
        subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", SERVER, "-c", f"CREATE DATABASE {name}"], check=True,
                       capture_output=True, timeout=60)
    before, after = SERVER.split("?", 1)
    return f"{before.rsplit('/', 1)[0]}/{name}?{after}"

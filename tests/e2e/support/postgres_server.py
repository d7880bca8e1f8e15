"""PostgreSQL servers with special settings: TLS and passwords, or a primary with a standby.

Each server has its own directory in /tmp, because the user `postgres` cannot read pytest's directories.
"""

import contextlib
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import signal
import subprocess

from finality_server import ROOT
from wait import until

PROMOTED_S = 60.0


def _load(path):
    """Loads a Python program whose file name has no `.py` suffix as a module."""
    loader = importlib.machinery.SourceFileLoader("tools_postgres", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


tool = _load(ROOT / "tools/postgres")


class PostgresServer(tool.Server):
    """PostgreSQL server in its own directory. Its configuration files may be changed before start(). REQUIRES: the main
    thread calls start(), because the server stops when the calling thread ends."""

    def __init__(self, **settings):
        self.user = tool.owner()
        self.home = tool.new_home(self.user)
        super().__init__(self.home, self.user, **settings)

    def make(self):
        """Creates an empty database cluster. Returns the server, not started."""
        tool.make_cluster(self.user, self.home)
        return self

    def make_standby_of(self, primary, name):
        """Creates a standby from a base backup of the primary. `name` is its application_name."""
        tool.run_as(self.user, self.home, "pg_basebackup", "--pgdata", self.home / "data", "--wal-method", "stream",
                    "--checkpoint", "fast", "--write-recovery-conf", "--no-sync", "--dbname",
                    f"host={primary.home} user={tool.USER} application_name={name}")
        return self

    def write(self, name, text):
        """Writes a file in the data directory with mode 0600 and the server's user as owner. Returns its path."""
        path = self.home / "data" / name
        path.write_text(text)
        path.chmod(0o600)
        if self.user is not None:
            shutil.chown(path, self.user.pw_uid, self.user.pw_gid)
        return path

    @property
    def log_text(self):
        return (self.home / "log").read_text()

    def sql(self, *statements, database="postgres"):
        """Runs each statement in its own transaction. Returns the output of psql for all statements."""
        commands = [part for statement in statements for part in ("-c", statement)]
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.url_of(database),
                               *commands], capture_output=True, text=True, timeout=PROMOTED_S)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def url_of(self, database):
        return self.url.replace(f"/{tool.DATABASE}?", f"/{database}?")

    def kill(self):
        """Kills every process of the server with SIGKILL, to simulate a crash of the machine."""
        main = self._process.pid
        children = pathlib.Path(f"/proc/{main}/task/{main}/children").read_text().split()
        for process in [main, *map(int, children)]:
            with contextlib.suppress(ProcessLookupError):  # the process has already ended
                os.kill(process, signal.SIGKILL)
        self._process.wait()

    def promote(self):
        """Promotes the standby and waits until it is the primary."""
        self.sql("SELECT pg_promote(false)")
        until(lambda: self.sql("SELECT pg_is_in_recovery()") == "f", "the standby is the primary", PROMOTED_S)

    def clean_up(self):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

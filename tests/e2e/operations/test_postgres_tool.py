"""tools/postgres: each test run gets its own servers, also as root and while other runs are active. The servers stop at
the end of the run."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import urllib.parse

import pytest

from finality_server import ROOT
from wait import until

TOOL = ROOT / "tools/postgres"
END_S = 30.0


class Served:
    """A running `tools/postgres serve`: its process, and the URL, home directory and process id of the server."""

    def __init__(self):
        self.tool = subprocess.Popen([TOOL, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self._read()
        self.home = pathlib.Path(urllib.parse.parse_qs(urllib.parse.urlsplit(self.url).query)["host"][0])
        self.server = self.server_process()

    def server_process(self):
        return int((self.home / "data" / "postmaster.pid").read_text().split()[0])

    def ask(self, sql):
        done = subprocess.run(["psql", "-X", "-A", "-t", "-d", self.url, "-c", sql], capture_output=True, text=True,
                              timeout=END_S)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def restart(self):
        self.tool.stdin.write("restart\n")
        self.tool.stdin.flush()
        assert self._read() == self.url

    def clean_up(self):
        self.tool.stdin.close()
        self.tool.wait(END_S)
        self.tool.stdout.close()
        until(lambda: not is_alive(self.server), "the server has ended", END_S)

    def _read(self):
        line = self.tool.stdout.readline().strip()
        assert line, f"tools/postgres ended with {self.tool.wait(END_S)}"
        return line


def is_alive(process):
    """Returns whether the process runs. A zombie (exited, but not reaped by its parent) does not run."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


@pytest.fixture
def serve():
    with contextlib.ExitStack() as started:
        def begin():
            served = Served()
            started.callback(served.clean_up)
            return served
        yield begin


def test_two_servers_run_side_by_side(serve):
    first, second = serve(), serve()
    first.ask("CREATE TABLE mine (id int)")
    assert second.ask("SELECT to_regclass('mine') IS NULL") == "t"
    assert first.ask("SELECT to_regclass('mine')") == "mine"
    first.clean_up()
    assert not first.home.exists()
    assert second.ask("SELECT 1") == "1"


def test_the_server_does_not_run_as_root(serve):
    served = serve()
    owner = pathlib.Path(f"/proc/{served.server}").stat().st_uid
    assert owner != 0 and owner == served.home.stat().st_uid
    assert os.geteuid() in (0, owner)


def test_commits_are_durable_and_survive_a_crash(serve):
    served = serve()
    assert [served.ask(f"SHOW {name}") for name in ["fsync", "synchronous_commit", "full_page_writes"]] == ["on"] * 3
    served.ask("CREATE TABLE kept (id int)")
    served.restart()
    assert served.server_process() != served.server and not is_alive(served.server)
    served.server = served.server_process()
    assert served.ask("SELECT count(*) FROM kept") == "0"


def test_a_command_gets_the_url_and_its_status_is_returned():
    command = ["sh", "-c", 'psql -X -A -t -d "$FINALITY_POSTGRES" -c "SELECT 41 + 1"; echo "$FINALITY_POSTGRES"; exit 7']
    done = subprocess.run([TOOL, "run", *command], capture_output=True, text=True, timeout=2 * END_S)
    answer, url = done.stdout.split()
    assert (done.returncode, answer) == (7, "42"), done.stderr
    assert not pathlib.Path(url.split("host=")[1]).exists()


def test_the_server_ends_with_its_parent(serve):
    """The server stops even if its parent was killed with SIGKILL and could not stop it."""
    served = serve()
    served.tool.send_signal(signal.SIGKILL)
    served.tool.wait(END_S)
    until(lambda: not is_alive(served.server), "the server has ended", END_S)
    shutil.rmtree(served.home)

"""`finality verify` prints counts and violations. On a terminal it also shows the audit query that is running."""

import contextlib
import json
import os
import pty
import subprocess

import pytest

import store_sql
from finality_server import BINARY
from store_place import DISTRIBUTED, SERVER, store_of


# On PostgreSQL, the role of the tests may not check indexes.
ENDS = {"Every invariant holds."} if not SERVER else {"Every invariant holds.", "Every checked invariant holds."}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    url = store_of(tmp_path_factory.mktemp("verify"))
    finality("migrate", "--store", url)
    finality("merchants", "create", "--store", url, "--name", "Tea House")
    return url


def finality(*arguments, stderr=subprocess.PIPE):
    return subprocess.run([BINARY, *arguments], stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=60)


def test_verify_prints_the_counts_and_nothing_else(store):
    done = finality("verify", "--store", store)
    assert done.returncode == 0 and done.stderr == ""
    assert ["merchants", "2"] in [line.split() for line in done.stdout.splitlines()]
    assert done.stdout.splitlines()[-1] in ENDS


def test_a_violation_is_named_and_exits_with_1(store):
    store_sql.run(store, "UPDATE merchants SET version = 7 WHERE id <> 1")
    try:
        done = finality("verify", "--store", store)
        report = json.loads(finality("verify", "--store", store, "--json").stdout)
    finally:
        store_sql.run(store, "UPDATE merchants SET version = 1 WHERE id <> 1")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "1 violation."
    [violation] = report["violations"]
    assert violation["invariant"] == "1 a root's version rises by one per change"
    assert violation["detail"] == "version 7, versions in events 1, highest 1"
    assert f"VIOLATION {violation['invariant']}: {violation['object_id']}: {violation['detail']}" in done.stdout


@pytest.mark.skipif(SERVER is None or DISTRIBUTED, reason="amcheck is an extension of PostgreSQL")
def test_amcheck_names_an_index_that_disagrees_with_its_table(tmp_path):
    store, index = store_of(tmp_path), "api_keys_by_hash"
    finality("migrate", "--store", store)
    done = finality("verify", "--store", store)
    assert done.returncode == 0 and "NOT CHECKED: tables and indexes were not compared: " in done.stdout, done
    assert "CREATE EXTENSION amcheck" in done.stdout

    store_sql.run(store, "CREATE EXTENSION amcheck")
    done = finality("verify", "--store", store)
    assert done.returncode == 0 and "NOT CHECKED" not in done.stdout, done
    assert json.loads(finality("verify", "--store", store, "--json").stdout)["not_checked"] == []

    ready = f"UPDATE pg_index SET indisready = {{}} WHERE indexrelid = '{index}'::regclass"
    store_sql.run(store, ready.format("false"))
    finality("keys", "create", "--store", store, "--role", "admin")
    store_sql.run(store, ready.format("true"))
    done = finality("verify", "--store", store)
    assert done.returncode == 1, done
    assert f"VIOLATION 0 tables and indexes are undamaged and agree: index {index}: " in done.stdout, done.stdout


def test_on_a_terminal_verify_shows_the_current_question(store):
    screen, terminal = pty.openpty()
    with subprocess.Popen([BINARY, "verify", "--store", store], stdout=subprocess.PIPE, stderr=terminal, text=True) as verify:
        os.close(terminal)
        lines = "".join(shown_on(screen)).split("\r\x1b[K")
        assert verify.stdout.read().splitlines()[-1] in ENDS
    assert lines[1].startswith("0 of ")
    shown = [line.partition(" checks: ")[2] for line in lines]
    assert "1 every stored transition is defined by its state machine" in shown
    assert "every table and index" in shown or SERVER is not None
    assert max(map(len, lines)) < 80
    assert lines[-1] == ""  # the progress line is cleared at the end


def shown_on(screen):
    """Yields the text that a program writes to a pseudo-terminal, until the program closes it."""
    with contextlib.suppress(OSError), open(screen, "rb", buffering=0) as file:
        while text := file.read(4096):
            yield text.decode()

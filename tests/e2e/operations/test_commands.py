"""Commands of the command line: their output, and errors for invalid arguments, which change nothing."""

import socket
import subprocess

import pytest

from finality_server import BINARY
from store_place import SERVER


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60)


def test_an_id_is_shown_in_the_formats_of_the_api_and_the_store():
    shown = run("id", "ord_0amgdq4wr0000", "383384007464714240")
    assert shown.returncode == 0, shown.stderr
    first, second = shown.stdout.splitlines()
    assert first == second
    assert first.startswith("383384007464714240  0amgdq4wr0000  created 2026-11-2"), first
    for wrong in ["ord_", "tea", "-1", "0", "12x", "xyz_0amgdq4wr0000"]:
        refused = run("id", "--", wrong)
        assert refused.returncode == 1 and f"'{wrong}' is not an id" in refused.stderr, wrong


@pytest.mark.skipif(SERVER is not None, reason="a mistyped database is not there either")
def test_merchants_and_keys_are_created_only_in_an_existing_store(tmp_path):
    store = f"sqlite:{tmp_path}/mistyped.db"
    for command in [("keys", "create", "--role", "admin"), ("merchants", "create", "--name", "Tea shop")]:
        refused = run(*command, "--store", store)
        assert refused.returncode == 1 and "does not exist. Create it: finality migrate" in refused.stderr, command
    assert list(tmp_path.iterdir()) == []


def test_names_have_the_limits_of_the_api(tmp_path):
    store = f"sqlite:{tmp_path}/finality.db"
    assert "Next, for a new store: create a key" in run("migrate", "--store", store).stdout
    for name in ["", "two\nlines", "x" * 129, b"\xff\xfe"]:
        for command in [("keys", "create", "--role", "admin"), ("merchants", "create")]:
            refused = subprocess.run([BINARY, *command, "--store", store, "--name", name], capture_output=True,
                                     timeout=60)
            assert refused.returncode == 1 and b"--name must be 1 to 128 characters" in refused.stderr, (command, name)
    wrong = run("keys", "create", "--role", "owner", "--store", store)
    assert wrong.returncode == 2 and "--role viewer|operator|approver|admin" in wrong.stderr
    made = run("keys", "create", "--role", "admin", "--store", store, "--name", "茶")
    assert made.stdout.startswith("op_") and "Key id: key_" in made.stderr


def test_a_second_demo_on_a_directory_is_refused(server):
    before = (server.data / "demo.json").read_bytes(), (server.data / "sandbox.pid").read_bytes()
    second = run("demo", "--port", 1, "--sandbox-port", 2, "--data", server.data, "--store", server.store)
    assert second.returncode == 1
    assert "another demo is running on" in second.stderr
    assert ((server.data / "demo.json").read_bytes(), (server.data / "sandbox.pid").read_bytes()) == before


def test_a_demo_on_an_occupied_port_creates_no_keys(tmp_path):
    data = tmp_path / "data"
    with socket.create_server(("127.0.0.1", 0)) as occupied, socket.create_server(("127.0.0.1", 0)) as spare:
        port, free = occupied.getsockname()[1], spare.getsockname()[1]
        spare.close()
        refused = run("demo", "--port", port, "--sandbox-port", free, "--data", data)
    assert refused.returncode == 1
    assert f"port {port} for the API is in use. Select another port with --port" in refused.stderr
    assert {path.name for path in data.iterdir()} == {"demo.lock"}


@pytest.mark.parametrize("ports, message", [((8080, 8080), "must be different ports"), ((8080, 0), "--sandbox-port"),
                                            ((8080, 70000), "--sandbox-port"), ((-1, 8090), "--port")])
def test_impossible_ports_of_a_demo_are_refused(tmp_path, ports, message):
    refused = run("demo", "--port", ports[0], "--sandbox-port", ports[1], "--data", tmp_path / "data")
    assert refused.returncode != 0 and message in refused.stderr
    assert not (tmp_path / "data").exists()

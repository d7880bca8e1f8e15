"""Files of a SQLite store: a full disk, damage, an empty file, and modes. Writes are refused, reads continue, and nothing
acknowledged is lost."""

import contextlib
import os
import pathlib
import resource
import sqlite3
import stat
import subprocess

import pytest
import requests

from api import order_body
from archives import archive, instant
from finality_server import BINARY, ConfiguredServer
from merchant_fixtures import new_merchant
from store_place import SERVER
from wait import until

pytestmark = pytest.mark.skipif(SERVER is not None, reason="files of the embedded store")

PAGE_BYTES = 4096


def file_of(server):
    return pathlib.Path(server.store.removeprefix("sqlite:"))


def log_of(server):
    return pathlib.Path(f"{file_of(server)}-wal")


def readiness(server):
    return requests.get(f"{server.base_url}/readyz", timeout=5, proxies={"http": None})


def set_file_limit(server, file_bytes):
    """Limits the size of the files of a running server. None removes the limit."""
    _, hard = resource.prlimit(server.process_id, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process_id, resource.RLIMIT_FSIZE, (hard if file_bytes is None else file_bytes, hard))


@contextlib.contextmanager
def full_disk(server):
    """Until the block ends, the log of the store cannot grow, as on a full disk."""
    set_file_limit(server, log_of(server).stat().st_size)
    try:
        yield
    finally:
        set_file_limit(server, None)


@pytest.fixture
def server(tmp_path):
    server = ConfiguredServer(tmp_path / "server")
    try:
        yield server.start()
    finally:
        server.clean_up()


@pytest.fixture
def api(contract, server):
    return new_merchant(contract, server)


def keyed(body):
    return {"json": body, "headers": {"Idempotency-Key": body["merchant_order_no"]}}


def refused_readiness(server):
    """Waits until the server is not ready, and returns the response of /readyz."""
    until(lambda: readiness(server).status_code == 503, "the server is not ready")
    return readiness(server)


def expect_refusal(server, api, body, reason):
    """The order is refused, and the server is not ready and gives the reason. Other requests are not affected."""
    response = api.request("POST", "/v1/orders", **keyed(body))
    assert (response.status_code, response.json()["code"]) == (503, "storage_write_error"), response.text
    assert "Retry-After" in response.headers
    response = refused_readiness(server)
    assert response.json()["code"] == "storage_write_error" and reason in response.json()["detail"], response.text
    assert requests.get(f"{server.base_url}/healthz", timeout=5, proxies={"http": None}).status_code == 200


def expect_writes(server, api, orders, body):
    """The server becomes ready again without a restart, the refused request succeeds once, and no order is lost."""
    until(lambda: readiness(server).status_code == 200, "the server is ready again")
    made = api.request("POST", "/v1/orders", **keyed(body))
    assert made.status_code == 201, made.text
    assert "Idempotent-Replayed" not in made.headers
    assert {order["id"] for order in api.all("/v1/orders")} == {order["id"] for order in [*orders, made.json()]}
    server.stop()
    server.verify()


def test_a_full_disk_refuses_writes_until_there_is_space(server, api):
    first = order_body()
    stored = api.request("POST", "/v1/orders", **keyed(first))
    orders = [stored.json()] + [api.create_order() for _ in range(5)]
    body = order_body()
    with full_disk(server):
        for _ in range(3):
            expect_refusal(server, api, body, "the disk is full")
        assert [api.order(order["id"])["state"] for order in orders] == [order["state"] for order in orders]
        repeated = api.request("POST", "/v1/orders", **keyed(first))
        assert (repeated.status_code, repeated.content) == (201, stored.content), "a stored response needs no write"
        assert server.log_tail().count('msg="the store accepts no writes"') == 1, server.log_tail()
    expect_writes(server, api, orders, body)
    assert 'msg="the store accepts writes again"' in server.log_tail()


def test_a_server_starts_on_a_full_disk(server, api):
    orders = [api.create_order() for _ in range(5)]
    body = order_body()
    server.file_bytes = log_of(server).stat().st_size
    server.kill()
    server.launch()
    until(lambda: is_answering(server), "the server answers")
    expect_refusal(server, api, body, "the disk is full")
    assert {order["id"] for order in api.all("/v1/orders")} == {order["id"] for order in orders}
    set_file_limit(server, None)
    expect_writes(server, api, orders, body)


def is_answering(server):
    with contextlib.suppress(requests.RequestException):
        return readiness(server).status_code in (200, 503)
    return False


def test_a_killed_server_loses_nothing_that_was_acknowledged_around_a_full_disk(server, api):
    orders = [api.create_order() for _ in range(3)]
    refused = order_body()
    with full_disk(server):
        expect_refusal(server, api, refused, "the disk is full")
        server.kill()
        server.start()
    assert {order["id"] for order in api.all("/v1/orders")} == {order["id"] for order in orders}
    expect_writes(server, api, orders, refused)


def test_a_damaged_store_is_read_and_not_written_until_a_backup_is_restored(server, api):
    orders = [api.create_order() for _ in range(5)]
    file, backup = file_of(server), server.data / "backup.db"
    subprocess.run([BINARY, "backup", "--store", server.store, "--to", backup], check=True, timeout=60)
    server.stop()
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
        [(page,)] = store.execute("SELECT rootpage FROM sqlite_schema WHERE name='orders'")
    with file.open("r+b") as damaged:
        damaged.seek((page - 1) * PAGE_BYTES)
        damaged.write(b"\xa5" * PAGE_BYTES)

    for _ in range(2):  # a restart does not forget the damage
        server.launch()
        until(lambda: is_answering(server), "the server answers")
        response = api.request("POST", "/v1/orders", **keyed(order_body()))
        assert response.status_code == 503, response.text
        ready = refused_readiness(server)
        assert "damaged" in ready.json()["detail"], ready.text
        assert api.get("/v1/webhook_endpoints")["data"] == [], "other tables are read"
        server.stop()
    assert "finality restore --store" in server.log_tail()
    assert file.read_bytes()[(page - 1) * PAGE_BYTES:page * PAGE_BYTES] == b"\xa5" * PAGE_BYTES

    for suffix in ["", "-wal", "-shm"]:
        pathlib.Path(f"{file}{suffix}").unlink(missing_ok=True)
    subprocess.run([BINARY, "restore", "--store", server.store, "--from", backup], check=True, timeout=60)
    server.start()
    expect_writes(server, api, orders, order_body())


def test_an_empty_file_is_not_a_store(server):
    server.stop()
    os.truncate(file_of(server), 0)
    started = subprocess.run([BINARY, "serve", "--config", server.data / "finality.toml"], capture_output=True, text=True,
                             timeout=30)
    assert started.returncode == 1 and f"the file {file_of(server)} is empty" in started.stderr, started
    assert file_of(server).stat().st_size == 0


def test_only_the_owner_can_read_stores_backups_and_archives(server, api):
    order = api.create_order()
    api.close(order["id"])
    subprocess.run([BINARY, "backup", "--store", server.store, "--to", server.data / "backup.db"], check=True, timeout=60)
    found = {path.name: path for path in file_of(server).parent.glob(f"{file_of(server).name}*")}
    assert {"finality.db", "finality.db-wal", "finality.db-shm", "finality.db.lock"} <= found.keys()
    paths = [*found.values(), server.data / "backup.db"]
    modes = {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in paths}
    server.stop()
    directory = server.data / "archive"
    archive(server.store, directory, instant())
    modes |= {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in directory.iterdir()}
    assert set(modes.values()) == {"0o600"}, modes
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700

    file_of(server).chmod(0o644)
    server.start()
    assert f'run="chmod 600 {file_of(server)}"' in server.log_tail()
    server.stop()

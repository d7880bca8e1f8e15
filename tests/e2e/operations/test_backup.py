"""A backup of a running server is a consistent snapshot, and a store restored from it passes the audit."""

import subprocess
import threading

import pytest

from api import Api
from account_fixtures import Bank
from finality_server import BINARY, FinalityServer
from store_place import SERVER, store_of
from wait import until

CLIENTS = 4
FIRST = 40  # minimum number of orders before the backup starts


def finality(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60)


class Traffic:
    """Runs clients that pay orders and transfer money until the block ends. Records the acknowledged orders."""

    def __init__(self, server, contract):
        self._server, self._contract = server, contract
        self.orders = []  # merchant order numbers, in the order of acknowledgement
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(number,)) for number in range(CLIENTS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _work(self, client):
        bank = Bank.of_demo(self._contract, self._server.demo)
        api, till, customer = bank.api, bank.till(), bank.open(name="Customer", kind="customer")
        count = 0
        while not self._stop.is_set():
            count += 1
            number = f"backup-{client}-{count}"
            api.post("/v1/transfers", {"debit_account": till["id"], "credit_account": customer["id"], "amount": 100,
                                       "currency": "CNY", "reference": number}, expect=201)
            api.post("/v1/orders", {"merchant_order_no": number, "amount": 100, "currency": "CNY", "subject": "Tea",
                                    "payment": {"channel": "wallet", "account": customer["id"]}}, expect=201)
            self.orders.append(number)


@pytest.fixture(scope="module")
def places(tmp_path_factory, contract):
    """Makes and restores a backup. Returns the server, the data directory, the restored store, and the orders
    acknowledged before the backup started."""
    data = tmp_path_factory.mktemp("backup")
    server = FinalityServer(data / "server", 100).start()
    try:
        with Traffic(server, contract) as traffic:
            until(lambda: len(traffic.orders) >= FIRST, "some orders are paid")
            before = list(traffic.orders)
            made = finality("backup", "--store", server.store, "--to", data / "copy")
            assert made.returncode == 0, made.stderr
            after = len(traffic.orders)
            until(lambda: len(traffic.orders) > after, "the server continues")
        restored = store_of(data / "restored")
        (data / "restored").mkdir()
        done = finality("restore", "--store", restored, "--from", data / "copy")
        assert done.returncode == 0 and "Next, check the store: finality verify" in done.stdout, done.stderr
        yield server, data, restored, before
        server.stop()
        server.verify()
    finally:
        server.clean_up()


def test_a_restored_store_keeps_every_invariant(places):
    _, _, restored, _ = places
    checked = finality("verify", "--store", restored)
    assert checked.returncode == 0, checked.stdout


def test_a_backup_contains_everything_acknowledged_before(places, contract):
    server, data, restored, before = places
    second = FinalityServer(data / "restored", 100)
    assert second.store == restored
    (data / "restored" / "credentials.json").write_bytes((server.data / "credentials.json").read_bytes())
    try:
        second.start()
        api = Api(contract, second.demo["base_url"], second.demo["secret_key"])
        for number in before:
            [order] = api.get("/v1/orders", params={"merchant_order_no": number})["data"]
            assert order["state"] == "succeeded"
        made = api.post("/v1/orders", {"merchant_order_no": "after", "amount": 1, "currency": "CNY", "subject": "Tea"},
                        expect=201)
        assert made["id"] > order["id"], "new ids must follow those of the backup"
        second.stop()
        second.verify()
    finally:
        second.clean_up()


def test_existing_files_and_stores_are_not_overwritten(places):
    server, data, restored, _ = places
    again = finality("backup", "--store", server.store, "--to", data / "copy")
    assert again.returncode == 1 and "already exists. Name a new file." in again.stderr
    over = finality("restore", "--store", server.store, "--from", data / "copy")
    assert over.returncode == 1 and over.stderr
    server.verify()


@pytest.mark.skipif(SERVER is not None, reason="files of the embedded store")
def test_an_invalid_backup_is_refused(places, tmp_path):
    (tmp_path / "text").write_text("no backup")
    for file, complaint in [(tmp_path / "text", "not a database"), (tmp_path / "none", "does not exist")]:
        done = finality("restore", "--store", f"sqlite:{tmp_path}/new.db", "--from", file)
        assert done.returncode == 1 and complaint in done.stderr
        assert not (tmp_path / "new.db").exists()


def test_a_password_is_not_repeated(tmp_path):
    for verb in [["backup", "--to"], ["restore", "--from"]]:
        (tmp_path / "file").write_text("") if verb[0] == "restore" else None
        done = finality(verb[0], "--store", "postgress://me:geheim@db/books", verb[1], tmp_path / "file")
        assert done.returncode == 1 and "invalid store URL" in done.stderr and "geheim" not in done.stderr

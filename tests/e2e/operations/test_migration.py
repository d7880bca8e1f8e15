"""A store that the previous schema's program filled is migrated with its data.

tests/vectors/stores/ has dumps of a store in which that program had played every scenario of the sandbox and three
wallet payments, and which its auditor had found correct.
"""

import json
import lzma
import sqlite3
import subprocess

import pytest

from api import Api
from finality_server import BINARY, ROOT, ConfiguredServer
from shop import sums_by_kind
from store_place import DISTRIBUTED, SERVER, store_of
from store_sql import ask, run as run_sql

TABLES = ["merchants", "orders", "payments", "receipts", "refunds", "reversals", "returns", "cases", "accounts",
          "entries", "events", "transfers", "channel_accounts", "keys", "deliveries"]
DUMP = ROOT / "tests/vectors/stores" / ("schema15.sqlite.sql.xz" if SERVER is None else "schema15.postgres.sql.xz")

pytestmark = pytest.mark.skipif(DISTRIBUTED, reason="the dump is of a database whose tables are not distributed")


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60)


PAYER = '{"auth_code":"286512345678901234"}'


def counts(store):
    """Returns the number of rows of each table, without the platform and its event, which a migration adds."""
    added = {"merchants": " WHERE id <> 1", "events": " WHERE root_id <> 1"}
    return {table: ask(store, f"SELECT count(*) FROM {table}{added.get(table, '')}") for table in TABLES}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("migration")


@pytest.fixture(scope="module")
def old_store(data):
    """Loads the dump. Returns the store's URL."""
    store, text = store_of(data), lzma.decompress(DUMP.read_bytes())
    if SERVER is None:
        database = sqlite3.connect(store.removeprefix("sqlite:"))
        database.executescript(text.decode("utf-8"))
        database.close()
    else:
        subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", store], input=text, check=True, timeout=60,
                       capture_output=True)
    return store


@pytest.fixture(scope="module")
def before(old_store):
    run_sql(old_store, f"UPDATE payments SET payer = '{PAYER}'")
    return counts(old_store)


@pytest.fixture(scope="module")
def migrated(old_store, before):
    """The store's URL after its migration."""
    done = run("migrate", "--store", old_store)
    assert done.returncode == 0, done.stderr
    return old_store


@pytest.fixture(scope="module")
def server(migrated, data):
    """A server on the migrated store."""
    server = ConfiguredServer(data, store=migrated)
    try:
        yield server.start()
    finally:
        server.clean_up()


@pytest.fixture(scope="module")
def api(contract, server, old_store):
    [(merchant,)] = ask(old_store, "SELECT id FROM merchants WHERE id <> 1")
    merchant = "mer_" + run("id", merchant).stdout.split()[1]
    admin = Api(contract, server.base_url, server.admin_key)
    key = admin.post("/v1/api_keys", {"merchant": merchant, "name": "till"}, expect=201)
    return Api(contract, server.base_url, key["key"])


def wallet_orders(api):
    return [order for order in api.all("/v1/orders") if order["payments"][0]["channel"] == "wallet"]


def test_an_older_store_is_refused_and_unchanged_until_it_is_migrated(old_store, before):
    refused = run("verify", "--store", old_store)
    assert refused.returncode != 0 and "finality migrate" in refused.stderr, refused.stderr
    assert counts(old_store) == before


def test_payments_that_were_archived_before_the_migration_count_as_older(migrated):
    """Their ids can be above those of all remaining payments, but not above the ids that the nodes had reserved."""
    highest = "SELECT max(id) FROM (SELECT id FROM payments UNION ALL SELECT id FROM entries UNION ALL " \
              "SELECT id FROM deliveries UNION ALL SELECT id FROM events) ids"
    [(until,)] = ask(migrated, "SELECT platform_until FROM channel_accounts WHERE funds = 'internal'")
    [(last,)] = ask(migrated, highest)
    assert int(until) > int(last)
    assert ask(migrated, "SELECT DISTINCT platform_until FROM channel_accounts WHERE funds = 'platform'") == [("0",)]


def test_a_migrated_store_has_the_same_rows_and_no_violation(migrated, before):
    assert counts(migrated) == before
    audited = run("verify", "--store", migrated, "--json")
    assert audited.returncode == 0, audited.stdout
    report = json.loads(audited.stdout)
    assert report["violations"] == [] and report["checked"]["entries"] == int(before["entries"][0][0])


def test_the_migration_erases_the_payers_of_final_payments(migrated, before):
    rows = ask(migrated, "SELECT state, payer FROM payments")
    assert {payer for state, payer in rows if state in ("succeeded", "failed", "closed")} == {""}
    assert {payer for state, payer in rows if state not in ("succeeded", "failed", "closed")} <= {PAYER}


def test_old_wallet_payments_remain_payable_and_are_refunded_from_there(api, server):
    old = [order for order in wallet_orders(api) if order["refunded_amount"] == 0][0]
    assert sums_by_kind(api, old)["merchant_payable"] == 5000
    refund = api.create_refund(old["payments"][0]["id"], amount=2000)
    assert refund["state"] == "succeeded"
    after = sums_by_kind(api, old)
    assert after["merchant_payable"] == 3000 and "merchant_direct" not in after
    server.verify()


def test_new_wallet_payments_are_not_payable(api, server):
    [account] = {order["payments"][0]["account"] for order in wallet_orders(api)}
    order = api.create_order(amount=700, payment={"channel": "wallet", "account": account})
    assert order["state"] == "succeeded"
    assert sums_by_kind(api, order)["merchant_direct"] == 700 and "merchant_payable" not in sums_by_kind(api, order)
    server.verify()

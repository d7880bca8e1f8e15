"""Orders that ended leave the store for files: whole, without changing a balance, and so that nobody takes them for
orders that never were."""

import datetime
import hashlib
import hmac
import json
import random
import re
import shutil
import subprocess
import time

import pytest

from api import Api
from archives import archive, books, check_archive, command, finality, instant
from bank import Bank
from conftest import FAST
from finality_server import BINARY, FinalityServer
from sandbox_client import net_paid
from scenarios import reversals_of
from shop import Shop
from store_place import SERVER
from store_sql import ask
from test_backup import Traffic
from wait import until

KILL_ROUNDS = 8
MANY = 120  # orders: three steps of removal
MONTH = datetime.timedelta(days=31)


class Stories:
    """Orders of every kind that has ended, and some that have not, on a server of their own."""

    def __init__(self, server, shop):
        self.server, self.shop = server, shop
        bank = Bank(shop.api)
        purse, empty = bank.open(balance=5000), bank.open()
        self.paid = shop.order_paid_by("sandbox", "pays")
        self.refunded = shop.order_paid_by("sandbox2", "pays")
        self.twice = shop.order_paid_by("sandbox", "pays_twice")
        self.late = shop.order_paid_by("sandbox", "pays_after_close", close_policy="local")
        self.declined = shop.order_paid_by("sandbox", "declines", attempts=1)
        self.closed = shop.order()
        self.wallet = shop.order(payment={"channel": "wallet", "account": purse["id"]})
        self.poor = shop.order(payment={"channel": "wallet", "account": empty["id"]}, attempts=1)
        self.wrong = shop.order_paid_by("sandbox", "wrong_amount", attempts=1)  # stays on the desk
        self.open = shop.order_paid_by("sandbox", "manual")
        self.over = [self.paid, self.refunded, self.twice, self.late, self.declined, self.closed, self.wallet, self.poor]

        shop.api.close(self.closed["id"])
        shop.api.order_when(self.late["id"], lambda order: order["payments"][0]["state"] == "pending", "can be paid")
        shop.api.close(self.late["id"], expect=(200, 202, 409))
        for order in [self.refunded, self.wallet]:
            final = shop.api.order_when_final(order["id"])
            for amount in [300, 200]:
                refund = shop.api.create_refund(final["payments"][0]["id"], amount=amount,
                                                merchant_refund_no=f"{order['merchant_order_no']}-{amount}")
                shop.api.refund_when_final(refund["id"])
        for order in [self.twice, self.late]:  # only now all that has been paid is known
            until(lambda: [one["state"] for one in reversals_of(shop, order)] == ["succeeded"], "it went back", timeout=30)
        for order in [*self.over, self.wrong]:
            shop.api.order_when_final(order["id"], timeout=30)
            until(lambda: self.is_quiet(order), f"all is over with {order}", timeout=40)
        self.trades = shop.sandbox.ledger()

    def is_quiet(self, order):
        """Nothing of it is due, on its way or untold."""
        number = order["merchant_order_no"]
        due = ask(self.server.store, f"""
            SELECT 1 FROM orders o WHERE merchant_order_no = '{number}' AND (due_at IS NOT NULL
              OR EXISTS (SELECT 1 FROM payments p WHERE p.order_id = o.id AND p.due_at IS NOT NULL)
              OR EXISTS (SELECT 1 FROM refunds p WHERE p.order_id = o.id AND p.due_at IS NOT NULL)
              OR EXISTS (SELECT 1 FROM reversals p WHERE p.order_id = o.id AND p.due_at IS NOT NULL)
              OR EXISTS (SELECT 1 FROM deliveries d WHERE d.order_id = o.id AND d.state <> 'delivered'))""")
        return not due


@pytest.fixture(scope="module")
def stories(start_server, contract, merchant_server):
    server = start_server("archive", FAST)
    stories = Stories(server, Shop.of_demo(contract, server, merchant_server))
    server.stop()
    server.verify()
    yield stories
    server.verify()


@pytest.fixture(scope="module")
def archived(stories, tmp_path_factory):
    """The stories after their server came back over a store whose finished orders have been archived."""
    directory = tmp_path_factory.mktemp("to") / "year-1"
    before = books(stories.server.store)
    said = archive(stories.server.store, directory, instant())
    assert books(stories.server.store) == before
    report = stories.server.verify()
    assert report["checked"]["archived_orders"] == len(stories.over) == said["orders"] == said["removed"]
    stories.directory, stories.said = directory, said
    stories.server.start()
    yield stories
    stories.server.stop()


# Wrong input. These come first, while the store is whole.


@pytest.mark.parametrize("before, complaint", [
    ("yesterday", "is no date"), ("2026-02-30", "is no date"), ("2999-01-01", "lies in the future"), ("", "is no date")])
def test_a_wrong_date_is_refused(stories, tmp_path, before, complaint):
    done = finality("archive", "--store", stories.server.store, "--before", before, "--to", tmp_path / "a")
    assert done.returncode == 1 and complaint in done.stderr, done.stderr
    assert not (tmp_path / "a").exists()


def test_young_orders_are_archived_only_when_asked_twice(stories, tmp_path):
    done = finality("archive", "--store", stories.server.store, "--before", instant(), "--to", tmp_path / "a")
    assert done.returncode == 1 and "--even-young" in done.stderr
    done = finality("archive", "--store", stories.server.store, "--before", instant(MONTH), "--to", tmp_path / "a")
    assert done.returncode == 0 and "nothing to archive" in done.stdout, done.stderr


def test_a_directory_that_is_in_use_is_left_alone(stories, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    done = finality(*command(stories.server.store, tmp_path, instant()))
    assert done.returncode == 1 and "letter.txt" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_password_is_not_repeated(tmp_path):
    done = finality(*command("postgress://me:geheim@db/books", tmp_path / "a", instant()))
    assert done.returncode == 1 and "names no store" in done.stderr and "geheim" not in done.stderr


# What the archive holds.


def test_the_archive_holds_every_row_of_what_is_over(archived):
    manifest, lines = check_archive(archived.directory)
    by_number = {line["order"]["merchant_order_no"]: line for line in lines}
    assert set(by_number) == {order["merchant_order_no"] for order in archived.over}
    for line in lines:
        order = line["order"]
        receipts = {receipt["id"]: receipt for receipt in line["receipts"]}
        assert order["paid_amount"] == sum(one["amount"] for one in receipts.values() if one["state"] == "accepted")
        assert order["refunded_amount"] == sum(one["amount"] for one in line["refunds"] if one["state"] == "succeeded")
        assert {event["root_version"] for event in line["events"]} == set(range(1, order["version"] + 1))
        assert line["deliveries"] and all(one["events"] for one in line["deliveries"])
        for payment in line["payments"]:
            if payment["channel"] == "wallet":
                continue
            net = sum(net_paid(trade) for number, trade in archived.trades.items() if number == payment["out_trade_no"])
            refunds = sum(one["amount"] for one in line["refunds"] if one["payment_id"] == payment["id"])
            if payment["state"] == "succeeded" and len(line["receipts"]) == 1:
                assert net == payment["amount"] - refunds
    refunded = by_number[archived.refunded["merchant_order_no"]]
    assert [one["amount"] for one in refunded["refunds"]] == [300, 200]
    assert manifest["archive"] == archived.said["archive"]


# What the API says of it.


def refused_as_archived(archived, response):
    assert response["code"] == "archived" and response["status"] == 410, response
    return response["detail"]


def test_an_archived_order_is_gone_and_says_where_to(archived):
    api = archived.shop.api
    for order in archived.over:
        path = f"/v1/orders/{order['id']}"
        for detail in [refused_as_archived(archived, api.get(path, expect=410)),
                       refused_as_archived(archived, api.get(f"{path}/timeline", expect=410)),
                       refused_as_archived(archived, api.get("/v1/refunds", params={"order": order["id"]}, expect=410)),
                       refused_as_archived(archived, api.get("/v1/orders", expect=410, params={
                           "merchant_order_no": order["merchant_order_no"]}))]:
            assert archived.said["archive"] in detail
        refused_as_archived(archived, api.post(f"{path}/close", expect=410))
        refused_as_archived(archived, api.create_payment(order["id"], expect=410))


def test_its_numbers_stay_taken(archived):
    api = archived.shop.api
    for order in archived.over:
        for amount in [order["amount"], order["amount"] + 1]:
            again = api.create_order(merchant_order_no=order["merchant_order_no"], amount=amount, expect=410)
            assert order["id"] in refused_as_archived(archived, again)
    number = f"{archived.refunded['merchant_order_no']}-300"
    lost = archived.refunded["payments"][0]["id"]
    refused_as_archived(archived, api.create_refund(lost, merchant_refund_no=number, expect=410))
    other = api.create_refund(lost, merchant_refund_no="never-used", expect=404)
    assert other["code"] == "not_found"


def test_what_was_not_over_goes_on(archived):
    shop = archived.shop
    assert shop.api.order(archived.wrong["id"])["state"] == "failed"
    assert len(shop.api.all("/v1/orders")) == 2
    shop.sandbox.pay(shop.api.order(archived.open["id"])["payments"][0])
    shop.check_end(archived.open, "succeeded")


def test_another_merchant_learns_nothing(archived, contract):
    admin = archived.server.demo["operators"]["admin"]
    api = Api(contract, archived.server.demo["base_url"], admin)
    merchant = api.post("/v1/merchants", {"name": "other"}, expect=201)
    key = api.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
    other = Api(contract, archived.server.demo["base_url"], key["key"])
    assert other.get(f"/v1/orders/{archived.paid['id']}", expect=404)["code"] == "not_found"


# What the channel says of it.


def notify(archived, payment, amount):
    """The channel's word that this trade was paid, signed as the sandbox signs. Returns the response."""
    secret = (archived.server.data / "sandbox.secret").read_text(encoding="ascii").strip()
    trade = {"trade_no": payment.get("channel_trade_no") or "late-1", "out_trade_no": payment["out_trade_no"],
             "channel": payment["channel"], "state": "paid", "amount": payment["amount"],
             "currency": payment["currency"], "paid": amount, "refunded": 0, "paid_at": instant()}
    told = {"id": "ntf_late", "type": "trade.changed", "created_at": instant(), "trade": trade}
    body, stamp = json.dumps(told), str(int(time.time()))
    signature = hmac.new(secret.encode(), f"{stamp}\n{body}".encode(), hashlib.sha256).hexdigest()
    return archived.shop.api.request("POST", f"/notify/{payment['channel']}", data=body.encode(),
                                     headers={"Sandbox-Signature": signature, "Sandbox-Timestamp": stamp})


def lost_words(archived):
    text = archived.shop.api.request("GET", "/metrics").text
    return sum(float(value) for value in re.findall(
        r'^finality_notifications_refused_total\{[^}]*reason="payment_gone"[^}]*\} (\S+)$', text, re.MULTILINE))


def test_a_late_word_on_an_archived_payment_does_not_vanish(archived):
    _, lines = check_archive(archived.directory)
    payments = {line["order"]["merchant_order_no"]: line["payments"][0] for line in lines if line["payments"]}
    before = lost_words(archived)
    for order in [archived.paid, archived.declined]:
        response = notify(archived, payments[order["merchant_order_no"]], order["amount"])
        assert response.status_code == 404 and response.content != b"success"
    assert lost_words(archived) == before + 2
    log = archived.server.log.read_text(encoding="utf-8", errors="replace")
    for order in [archived.paid, archived.declined]:
        assert re.search(rf"\[error\].*paid of {order['payments'][0]['id']}", log), "nobody is told"
    assert f"{archived.paid['id']} is in the archive {archived.said['archive']}" in log


def test_a_word_on_somebody_elses_trade_is_another_matter(archived):
    payment = {"out_trade_no": "0" * 26, "channel": "sandbox", "amount": 1, "currency": "CNY"}
    before = lost_words(archived)
    assert notify(archived, payment, 1).status_code == 404
    assert lost_words(archived) == before


# Interruption, and servers beside it.


@pytest.mark.skipif(SERVER is not None, reason="one process owns the file of the embedded store")
def test_a_running_server_is_not_disturbed(archived, tmp_path):
    done = finality(*command(archived.server.store, tmp_path / "a", instant()))
    assert done.returncode == 1 and "belongs to another running process" in done.stderr


def make_many(server, contract, count):
    """Orders that were made and closed, without a channel: they are over at once."""
    api = Api(contract, server.demo["base_url"], server.demo["secret_key"])
    till = api.post("/v1/accounts", {"name": "Till", "kind": "till", "currency": "CNY", "overdraft": 10**9}, expect=201)
    for number in range(count):
        order = api.create_order(merchant_order_no=f"many-{number}", amount=100 + number,
                                 payment={"channel": "wallet", "account": till["id"]})
        assert order["state"] == "succeeded"


def check_whole(store, directory, count, before):
    """Every order is in the archive once and in the store no more, and the books are as they were."""
    manifest, lines = check_archive(directory)
    assert sorted(line["order"]["merchant_order_no"] for line in lines) == sorted(f"many-{i}" for i in range(count))
    assert manifest["left"] == []
    gone = ask(store, "SELECT id, archive FROM archived_orders ORDER BY id")
    assert gone == [(str(line["order"]["id"]), manifest["archive"]) for line in lines]
    assert ask(store, "SELECT count(*) FROM orders") == [("0",)]
    assert books(store) == before
    checked = finality("verify", "--store", store)
    assert checked.returncode == 0, checked.stdout


def kill_after(store, directory, before, seconds):
    process = subprocess.Popen([BINARY, *map(str, command(store, directory, before))], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()


@pytest.mark.skipif(SERVER is not None, reason="copies the file of the embedded store")
def test_killed_at_any_moment_it_goes_on(start_server, contract, tmp_path):
    server = start_server("archive_killed")
    make_many(server, contract, MANY)
    server.stop()
    original, before, date = tmp_path / "original.db", books(server.store), instant()
    shutil.copy(server.store.removeprefix("sqlite:"), original)

    def fresh(name):
        shutil.copy(original, tmp_path / f"{name}.db")
        return f"sqlite:{tmp_path / name}.db"

    began = time.monotonic()
    assert archive(fresh("whole"), tmp_path / "whole", date)["removed"] == MANY
    whole = time.monotonic() - began
    check_whole(f"sqlite:{tmp_path / 'whole'}.db", tmp_path / "whole", MANY, before)

    interrupted = 0
    for number in range(KILL_ROUNDS):
        store, directory = fresh(f"round-{number}"), tmp_path / f"round-{number}"
        for _ in range(3):
            kill_after(store, directory, date, random.uniform(0, whole))
            assert books(store) == before
            checked = finality("verify", "--store", store)
            assert checked.returncode == 0, checked.stdout
            interrupted += 0 < len(ask(store, "SELECT id FROM archived_orders")) < MANY
        archive(store, directory, date)
        check_whole(store, directory, MANY, before)


@pytest.mark.skipif(SERVER is None, reason="servers beside it need PostgreSQL")
def test_servers_go_on_beside_it(contract, tmp_path):
    server = FinalityServer(tmp_path / "beside", FAST).start()
    try:
        make_many(server, contract, MANY)
        with Traffic(server, contract) as traffic:
            until(lambda: len(traffic.orders) > 10, "the server is at work")
            date = instant()
            kill_after(server.store, tmp_path / "a", date, 0.2)
            said = archive(server.store, tmp_path / "a", date)
            count = len(traffic.orders)
            until(lambda: len(traffic.orders) > count + 10, "the server goes on")
        assert said["removed"] >= MANY and said["left"] == []
        check_archive(tmp_path / "a")
        server.stop()
        server.verify()
    finally:
        server.clean_up()


@pytest.mark.skipif(SERVER is None, reason="the embedded store belongs to one process anyway")
def test_two_never_archive_at_once(contract, tmp_path):
    server = FinalityServer(tmp_path / "twice", FAST).start()
    try:
        make_many(server, contract, 3)
        other = subprocess.Popen(["psql", "-q", "-At", "-d", server.store], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True)
        try:
            other.stdin.write(f"SELECT pg_advisory_lock({int.from_bytes(b'Archive', 'big')});\n")
            other.stdin.flush()
            other.stdout.readline()
            refused = finality(*command(server.store, tmp_path / "a", instant()))
            assert refused.returncode == 1 and "somebody else is archiving" in refused.stderr, refused.stderr
        finally:
            other.communicate(timeout=30)
        assert archive(server.store, tmp_path / "a", instant())["removed"] == 3
        server.stop()
        server.verify()
    finally:
        server.clean_up()


@pytest.mark.skipif(SERVER is None, reason="only PostgreSQL has roles")
def test_the_running_role_may_not_archive(contract, tmp_path):
    server = FinalityServer(tmp_path / "role", FAST).start()
    try:
        make_many(server, contract, 3)
        role = "runs_only_" + hashlib.sha256(str(tmp_path).encode()).hexdigest()[:8]
        subprocess.run(["psql", "-q", "-d", server.store, "-c", f"CREATE ROLE {role} LOGIN"], check=True, timeout=30)
        try:
            granted = finality("migrate", "--store", server.store, "--role", role)
            assert granted.returncode == 0, granted.stderr
            theirs = re.sub(r"^(postgres://)[^@/]*@", rf"\g<1>{role}@", server.store)
            done = finality(*command(theirs, tmp_path / "a", instant()))
            assert done.returncode == 1 and "owner" in done.stderr, done.stderr
        finally:
            subprocess.run(["psql", "-q", "-d", server.store, "-c", f"DROP OWNED BY {role}; DROP ROLE {role}"],
                           check=True, timeout=30)
        server.stop()
        server.verify()
    finally:
        server.clean_up()

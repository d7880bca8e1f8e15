"""Archiving: `finality archive` moves final orders from the store to files. Balances do not change, and the API returns
410 for archived orders. Channel evidence about an archived order is booked after the order is restored."""

import datetime
import hashlib
import json
import random
import re
import shutil
import subprocess
import time
import types
import uuid

import pytest
import requests

from api import Api
from archives import archive, books, check_archive, command, finality, instant, lines_of, out_of_use, unarchive
from account_fixtures import Bank
from conftest import FAST
from finality_server import BINARY, FinalityServer
from sandbox_client import net_paid
from sandbox_signature import secret_of, signed
from scenarios import reversals_of
from shop import Shop
from store_place import SERVER
from store_sql import ask, run
from test_backup import Traffic
from wait import until

KILL_ROUNDS = 8
MANY = 120  # orders to archive; the command removes them in three steps
MONTH = datetime.timedelta(days=31)
RESTORE = "finality unarchive --store URL --from DIRECTORY"  # the command that the log recommends


class Stories:
    """Final orders of every kind and open orders, on their own server."""

    def __init__(self, server, shop):
        self.server, self.shop = server, shop
        bank = Bank(shop.api, shop.operator)
        rich, empty = bank.open(balance=5000), bank.open()
        self.paid = shop.order_paid_by("sandbox", "pays")
        self.refunded = shop.order_paid_by("sandbox2", "pays")
        self.twice = shop.order_paid_by("sandbox", "pays_twice")
        self.late = shop.order_paid_by("sandbox", "pays_after_close", close_policy="local")
        self.declined = shop.order_paid_by("sandbox", "declines", attempts=1)
        self.closed = shop.order()
        self.wallet = shop.order(payment={"channel": "wallet", "account": rich["id"]})
        self.poor = shop.order(payment={"channel": "wallet", "account": empty["id"]}, attempts=1)
        self.wrong = shop.order_paid_by("sandbox", "wrong_amount", attempts=1)  # stays under review
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
        for order in [self.twice, self.late]:  # wait for their reversals
            until(lambda: [one["state"] for one in reversals_of(shop, order)] == ["succeeded"], "returned", timeout=30)
        shop.api.order_when_at_rest(self.wrong["id"], timeout=30)
        for order in self.over:
            shop.api.order_when_final(order["id"], timeout=30)
            until(lambda: is_quiet(server.store, order), f"{order} has no open work", timeout=40)
        self.trades = shop.sandbox.ledger()


def is_quiet(store, order):
    """Returns whether the order has no row with a due time and no undelivered webhook."""
    number = order["merchant_order_no"]
    due = ask(store, f"""
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
    """Archives the orders of `stories` and restarts their server."""
    directory = tmp_path_factory.mktemp("to") / "year-1"
    before = books(stories.server.store)
    result = archive(stories.server.store, directory, instant())
    assert books(stories.server.store) == before
    report = stories.server.verify()
    assert report["checked"]["archived_orders"] == len(stories.over) == result["orders"] == result["removed"]
    stories.directory, stories.result = directory, result
    stories.server.start()
    yield stories
    stories.server.stop()


# Tests of invalid arguments. They run first, before orders are archived.


@pytest.mark.parametrize("before, complaint", [
    ("yesterday", "invalid --before 'yesterday': use a date"), ("2026-02-30", "invalid --before '2026-02-30': use a date"),
    ("2999-01-01", "is in the future"), ("", "invalid --before '': use a date")])
def test_a_wrong_date_is_refused(stories, tmp_path, before, complaint):
    done = finality("archive", "--store", stories.server.store, "--before", before, "--to", tmp_path / "a")
    assert done.returncode == 1 and complaint in done.stderr, done.stderr
    assert not (tmp_path / "a").exists()


def test_recent_orders_are_archived_only_with_the_option(stories, tmp_path):
    done = finality("archive", "--store", stories.server.store, "--before", instant(), "--to", tmp_path / "a")
    assert done.returncode == 1 and "--even-young" in done.stderr
    done = finality("archive", "--store", stories.server.store, "--before", instant(MONTH), "--to", tmp_path / "a")
    assert done.returncode == 0 and "No orders to archive." in done.stdout, done.stderr


def test_a_directory_that_is_not_empty_is_refused(stories, tmp_path):
    (tmp_path / "letter.txt").write_text("text")
    done = finality(*command(stories.server.store, tmp_path, instant()))
    assert done.returncode == 1 and "letter.txt" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_password_is_not_repeated(tmp_path):
    done = finality(*command("postgress://me:geheim@db/books", tmp_path / "a", instant()))
    assert done.returncode == 1 and "invalid store URL" in done.stderr and "geheim" not in done.stderr


# Tests of the content of the archive.


def test_the_archive_contains_every_row_of_final_orders(archived):
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
    assert manifest["archive"] == archived.result["archive"]


# Tests of API responses about archived orders.


def refused_as_archived(archived, response):
    assert response["code"] == "archived" and response["status"] == 410, response
    return response["detail"]


def test_an_archived_order_is_410_and_names_its_archive(archived):
    api = archived.shop.api
    for order in archived.over:
        path = f"/v1/orders/{order['id']}"
        for detail in [refused_as_archived(archived, api.get(path, expect=410)),
                       refused_as_archived(archived, api.get(f"{path}/timeline", expect=410)),
                       refused_as_archived(archived, api.get("/v1/refunds", params={"order": order["id"]}, expect=410)),
                       refused_as_archived(archived, api.get("/v1/orders", expect=410, params={
                           "merchant_order_no": order["merchant_order_no"]}))]:
            assert archived.result["archive"] in detail
        refused_as_archived(archived, api.post(f"{path}/close", expect=410))
        refused_as_archived(archived, api.create_payment(order["id"], expect=410))


def test_the_numbers_of_archived_orders_stay_taken(archived):
    api = archived.shop.api
    for order in archived.over:
        for amount in [order["amount"], order["amount"] + 1]:
            again = api.create_order(merchant_order_no=order["merchant_order_no"], amount=amount, expect=410)
            assert order["id"] in refused_as_archived(archived, again)
    number = f"{archived.refunded['merchant_order_no']}-300"
    lost = archived.refunded["payments"][0]["id"]
    refused_as_archived(archived, api.create_refund(lost, merchant_refund_no=number, expect=410))
    other = api.create_refund(lost, merchant_refund_no="never-used", expect=404)
    assert other["code"] == "not_found" and "name the order in the field order" in other["detail"]
    named = api.create_refund(lost, order=archived.refunded["id"], expect=410)
    assert "finality unarchive" in refused_as_archived(archived, named), "the server does not have this archive"


def test_open_orders_are_not_archived(archived):
    shop = archived.shop
    assert shop.api.order(archived.wrong["id"])["state"] == "processing"
    assert len(shop.api.all("/v1/orders")) == 2
    shop.sandbox.pay(shop.api.order(archived.open["id"])["payments"][0])
    shop.check_end(archived.open, "succeeded")


def test_an_archived_order_is_not_found_by_another_merchant(archived, contract):
    admin = archived.server.demo["operators"]["admin"]
    api = Api(contract, archived.server.demo["base_url"], admin)
    merchant = api.post("/v1/merchants", {"name": "other"}, expect=201)
    key = api.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
    other = Api(contract, archived.server.demo["base_url"], key["key"])
    assert other.get(f"/v1/orders/{archived.paid['id']}", expect=404)["code"] == "not_found"


# Tests of channel evidence about archived orders.


def notify(archived, payment, amount, refunded=0):
    """Sends a validly signed notification that the trade was paid with this amount. Returns the response."""
    trade = {"trade_no": payment.get("channel_trade_no") or "late-1", "out_trade_no": payment["out_trade_no"],
             "channel": payment["channel"], "state": "paid", "amount": payment["amount"],
             "currency": payment["currency"], "paid": amount, "refunded": refunded, "paid_at": instant()}
    body = json.dumps({"id": "ntf_late", "type": "trade.changed", "created_at": instant(), "trade": trade})
    return archived.shop.api.request("POST", f"/notify/{payment['channel']}", data=body.encode(),
                                     headers=signed(secret_of(archived.server), body))


def lost_evidence(archived):
    text = archived.shop.api.current_metrics()
    return sum(float(value) for value in re.findall(
        r'^finality_notifications_refused_total\{[^}]*reason="payment_gone"[^}]*\} (\S+)$', text, re.MULTILINE))


def error_about(archived, payment):
    """Returns the last log line at level error that reports refused evidence about the payment."""
    log = archived.server.log.read_text(encoding="utf-8", errors="replace")
    lines = re.findall(rf"^.*level=error msg=\"evidence refused: .* payment={payment['id']} .*$", log, re.MULTILINE)
    assert lines, "the log has no error"
    return lines[-1]


def test_late_evidence_on_an_archived_payment_is_logged(archived):
    _, lines = check_archive(archived.directory)
    payments = {line["order"]["merchant_order_no"]: line["payments"][0] for line in lines if line["payments"]}
    before = lost_evidence(archived)
    response = notify(archived, payments[archived.paid["merchant_order_no"]], archived.paid["amount"])
    assert response.status_code == 404 and response.content != b"success"
    assert lost_evidence(archived) == before + 1
    error = error_about(archived, archived.paid["payments"][0])
    assert f"order={archived.paid['id']} archive={archived.result['archive']} " in error


def test_evidence_on_an_unknown_trade_is_not_counted(archived):
    payment = {"out_trade_no": "0" * 26, "channel": "sandbox", "amount": 1, "currency": "CNY"}
    before = lost_evidence(archived)
    assert notify(archived, payment, 1).status_code == 200
    assert lost_evidence(archived) == before


# Tests of `finality unarchive`.


@pytest.fixture(scope="module")
def restorable(start_server, contract, merchant_server, tmp_path_factory):
    """A server with an archive that contains all its final orders, for tests of `finality unarchive`."""
    server = start_server("restorable", FAST)
    shop = Shop.of_demo(contract, server, merchant_server)
    orders = {"notified": shop.order_paid_by("sandbox", "pays"), "queried": shop.order_paid_by("sandbox2", "pays"),
              "declined": shop.order_paid_by("sandbox", "declines", attempts=1), "closed": shop.order()}
    shop.api.close(orders["closed"]["id"])
    for name, order in orders.items():
        orders[name] = shop.api.order_when_final(order["id"], timeout=30)
        until(lambda: is_quiet(server.store, order), f"{order} has no open work", timeout=40)
    directory = tmp_path_factory.mktemp("to") / "year-1"
    with out_of_use(server) as store:
        result = archive(store, directory, instant())
    assert result["removed"] == len(orders)
    payments = {line["order"]["merchant_order_no"]: line["payments"] for line in lines_of(directory)}
    for order in orders.values():  # the archive also contains the trade numbers of the channel
        order["payments"] = [kept | shown for kept, shown in
                             zip(payments[order["merchant_order_no"]], order["payments"], strict=True)]
    yield types.SimpleNamespace(server=server, shop=shop, orders=orders, directory=directory, result=result)
    server.stop()
    server.verify()


def console_refund(restorable, payment, amount):
    """Refunds a part of the trade directly at the channel, as a merchant does in the channel's web console."""
    body = json.dumps({"out_refund_no": f"console-{uuid.uuid4().hex}", "trade_no": payment["channel_trade_no"],
                       "amount": amount, "currency": payment["currency"]})
    path = f"/{payment['channel']}/refunds"
    response = requests.post(restorable.shop.sandbox.url + path, data=body.encode(), timeout=10, proxies={"http": None},
                             headers=signed(secret_of(restorable.server), "POST", path, body))
    assert response.status_code == 200, response.text


def restore(restorable, *arguments):
    """Runs `finality unarchive` and returns its report."""
    with out_of_use(restorable.server) as store:
        done = unarchive(store, restorable.directory, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_refunded(restorable, order, amount):
    """Checks that the refund is booked and equals the refund in the sandbox's ledger."""
    api, server = restorable.shop.api, restorable.server
    now = api.order_when(order["id"], lambda seen: seen["refunded_amount"] == amount, f"has {amount} refunded")
    assert now["state"] == "succeeded" and now["paid_amount"] == order["amount"]
    assert net_paid(restorable.shop.sandbox.trade_of(order["payments"][0])) == order["amount"] - amount
    [refund] = api.all("/v1/refunds", order=order["id"])
    assert refund["origin"] == "channel" and refund["amount"] == amount
    server.verify()


def test_a_notification_about_an_archived_order_is_booked_after_a_restore(restorable):
    order = restorable.orders["notified"]
    payment = order["payments"][0]
    console_refund(restorable, payment, 300)
    before = lost_evidence(restorable)
    assert notify(restorable, payment, order["amount"], refunded=300).status_code == 404
    assert lost_evidence(restorable) == before + 1
    error = error_about(restorable, payment)
    assert f"order={order['id']} archive={restorable.result['archive']} " in error
    assert f"restore_with=\"{RESTORE} --order {order['id']}\"" in error

    before = books(restorable.server.store)
    result = restore(restorable, "--order", order["id"])
    assert result == {"archive": restorable.result["archive"], "restored": [order["id"]], "present": [],
                      "unknown_receipts": []}
    assert books(restorable.server.store) == before
    assert restorable.shop.api.order(order["id"])["refunded_amount"] == 0
    response = notify(restorable, payment, order["amount"], refunded=300)
    assert response.status_code == 200 and response.content == b"success"
    check_refunded(restorable, order, 300)

    result = restore(restorable, "--order", order["id"])
    assert result["restored"] == [] and result["present"] == [order["id"]]
    check_refunded(restorable, order, 300)


def archive_for_server(start_server, contract, merchant_server, name):
    """Starts a server, archives its only order to its directory of archives, and returns server, shop and order."""
    server = start_server(name, FAST)
    shop = Shop.of_demo(contract, server, merchant_server)
    order = shop.api.order_when_final(shop.order_paid_by("sandbox", "pays")["id"])
    until(lambda: is_quiet(server.store, order), "the order has no open work", timeout=40)
    directory = server.data / "archives" / "year-1"
    directory.parent.mkdir()
    with out_of_use(server) as store:
        result = archive(store, directory, instant())
    assert result["removed"] == 1
    [line] = lines_of(directory)
    order["payments"] = [kept | shown for kept, shown in zip(line["payments"], order["payments"], strict=True)]
    shop.api.get(f"/v1/orders/{order['id']}", expect=410)
    return types.SimpleNamespace(server=server, shop=shop, order=order)


def test_a_notification_restores_its_order_from_the_directory_of_archives(start_server, contract, merchant_server):
    world = archive_for_server(start_server, contract, merchant_server, "restoring")
    [payment] = world.order["payments"]
    console_refund(world, payment, 300)
    response = notify(world, payment, world.order["amount"], refunded=300)
    assert response.status_code == 200 and response.content == b"success"
    check_refunded(world, world.order, 300)
    world.server.stop()
    world.server.verify()


def test_a_refund_restores_its_order_from_the_directory_of_archives(start_server, contract, merchant_server):
    world = archive_for_server(start_server, contract, merchant_server, "refunding")
    server, api, order = world.server, world.shop.api, world.order
    [payment] = order["payments"]
    admin = Api(contract, server.demo["base_url"], server.demo["operators"]["admin"])
    merchant = admin.post("/v1/merchants", {"name": "other"}, expect=201)
    key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)["key"]
    other_merchant = Api(contract, server.demo["base_url"], key)
    assert other_merchant.create_refund(payment["id"], order=order["id"], expect=404)["code"] == "not_found"
    assert api.create_refund(payment["id"], expect=404)["code"] == "not_found", "the store has only the order's id"
    api.get(f"/v1/orders/{order['id']}", expect=410)

    body = {"payment": payment["id"], "order": order["id"], "amount": 300, "merchant_refund_no": "late-1"}
    once = {"Idempotency-Key": "late-1"}
    refund = api.post("/v1/refunds", body, expect=201, headers=once)
    assert api.refund_when_final(refund["id"])["state"] == "succeeded"
    assert api.post("/v1/refunds", body, expect=201, headers=once)["id"] == refund["id"]
    assert api.post("/v1/refunds", body, expect=200)["id"] == refund["id"], "the same merchant_refund_no"
    assert api.order(order["id"])["refunded_amount"] == 300
    assert net_paid(world.shop.sandbox.trade_of(payment)) == order["amount"] - 300
    assert "finality_orders_restored_total 1" in api.current_metrics()
    server.stop()
    server.verify()


def test_a_query_books_refunds_made_while_the_order_was_archived(restorable):
    order = restorable.orders["queried"]
    payment = order["payments"][0]
    console_refund(restorable, payment, 200)
    restorable.shop.api.post(f"/v1/payments/{payment['id']}/query", expect=404)
    restore(restorable, "--order", order["id"])
    restorable.shop.api.query(payment["id"])
    check_refunded(restorable, order, 200)


def test_money_for_an_archived_order_without_a_receipt_is_booked_for_the_platform(restorable):
    order = restorable.orders["declined"]
    payment = order["payments"][0]
    response = notify(restorable, payment, order["amount"])
    assert response.status_code == 200 and response.content == b"success"
    receipts = restorable.shop.operator.all("/v1/unknown_receipts", state="unassigned")
    [receipt] = [row for row in receipts if row["out_trade_no"] == payment["out_trade_no"]]
    assert receipt["amount"] == order["amount"]
    booked = [{"unknown_receipt": receipt["id"], "payment": payment["id"]}]
    result = restore(restorable, "--payment", payment["id"])
    assert result["restored"] == [order["id"]] and result["unknown_receipts"] == booked
    again = restore(restorable, "--payment", payment["id"])
    assert again["present"] == [order["id"]] and again["unknown_receipts"] == booked
    restorable.server.verify()


def test_an_invalid_restore_is_refused(restorable, tmp_path):
    order = restorable.orders["closed"]["id"]
    copy = tmp_path / "copy"
    shutil.copytree(restorable.directory, copy)
    file = copy / "orders.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("Two coffees", "Two coffee!", 1), encoding="utf-8")
    unknown = "ord_0000000000001"
    with out_of_use(restorable.server) as store:
        before = ask(store, "SELECT id FROM archived_orders ORDER BY id")
        for directory, arguments, complaint in [
                (tmp_path, ["--order", order], "manifest.json"),
                (tmp_path / "nowhere", ["--order", order], "manifest.json"),
                (copy, ["--order", order], "not the file that its manifest describes"),
                (restorable.directory, ["--order", unknown], f"does not have {unknown}"),
                (restorable.directory, ["--order", order, "--order", unknown], f"does not have {unknown}"),
                (restorable.directory, ["--payment", "pay_0000000000001"], "does not have pay_0000000000001"),
                (restorable.directory, ["--order", "tea-2"], "--order tea-2 is not an id"),
                (restorable.directory, ["--order", "pay_0000000000001"], "is not an id")]:
            refused = unarchive(store, directory, *arguments)
            assert refused.returncode == 1 and complaint in refused.stderr, (arguments, refused.stderr)
        assert unarchive(store, restorable.directory).returncode != 0
        assert ask(store, "SELECT id FROM archived_orders ORDER BY id") == before
    restorable.server.verify()


def test_an_archive_is_named_by_128_bits_of_its_digest(restorable):
    manifest = json.loads((restorable.directory / "manifest.json").read_text())
    assert restorable.result["archive"] == f"{restorable.directory.name}-{manifest['sha256'][:32]}"


@pytest.mark.parametrize("archive_of, complaint", [
    (lambda sha256: sha256[:8], None),
    (lambda sha256: sha256[:31] + ("0" if sha256[31] != "0" else "1"), "not the file that its manifest describes"),
    (lambda sha256: sha256[:16], "not the file that its manifest describes"),
    (lambda sha256: "", "not the file that its manifest describes")],
    ids=["8 digits of an earlier version", "another digest", "16 digits", "no digest"])
def test_the_anchor_of_an_archive_is_compared(restorable, tmp_path, archive_of, complaint):
    """The archive of an earlier version is restored with a warning."""
    order = restorable.orders["closed"]["id"]
    copy = tmp_path / "copy"
    shutil.copytree(restorable.directory, copy)
    manifest = json.loads((copy / "manifest.json").read_text())
    name, before = f"year-1-{archive_of(manifest['sha256'])}", manifest["archive"]
    (copy / "manifest.json").write_text(json.dumps(manifest | {"archive": name}))
    rename = "UPDATE archived_orders SET archive = '{}' WHERE archive = '{}'".format
    with out_of_use(restorable.server) as store:
        run(store, rename(name, before))
        try:
            done = unarchive(store, copy, "--order", order)
        finally:
            run(store, rename(before, name))
        if complaint:
            assert done.returncode == 1 and complaint in done.stderr, done
        else:
            assert done.returncode == 0 and json.loads(done.stdout)["restored"] == [order], done.stderr
            assert f"identifies the archive {name} by only 32 bits" in done.stderr, done.stderr
            again = archive(store, tmp_path / "again", instant())["archive"]
            run(store, rename(before, again))  # for the other tests
    restorable.server.verify()


def test_a_restored_order_can_be_archived_again(restorable, tmp_path):
    order = restorable.orders["closed"]["id"]
    restore(restorable, "--order", order)
    assert restorable.shop.api.order(order)["state"] == "closed"
    with out_of_use(restorable.server) as store:
        again = archive(store, tmp_path / "year-2", instant())
        assert again["removed"] >= 1, "other tests may have restored orders too"
        check_archive(tmp_path / "year-2")
        refused = unarchive(store, restorable.directory, "--order", order)
        assert refused.returncode == 1 and again["archive"] in refused.stderr, refused.stderr
        assert json.loads(unarchive(store, tmp_path / "year-2", "--order", order).stdout)["restored"] == [order]
    restorable.server.verify()


@pytest.mark.skipif(SERVER is not None, reason="one process owns the file of the embedded store")
def test_a_restore_is_refused_while_the_server_runs(restorable):
    refused = unarchive(restorable.server.store, restorable.directory, "--order", restorable.orders["closed"]["id"])
    assert refused.returncode == 1 and "is in use by another process" in refused.stderr


# Tests of interrupted commands and of commands while the server runs.


@pytest.mark.skipif(SERVER is not None, reason="one process owns the file of the embedded store")
def test_archiving_is_refused_while_the_server_runs(archived, tmp_path):
    done = finality(*command(archived.server.store, tmp_path / "a", instant()))
    assert done.returncode == 1 and "is in use by another process" in done.stderr


def make_many(server, contract, count):
    """Creates `count` orders that the channel `wallet` pays, so they are final immediately."""
    bank = Bank.of_demo(contract, server.demo)
    payment = {"channel": "wallet", "account": bank.till()["id"]}
    for number in range(count):
        order = bank.api.create_order(merchant_order_no=f"many-{number}", amount=100 + number, payment=payment)
        assert order["state"] == "succeeded"


def check_whole(store, directory, count, before):
    """Checks that every order is once in the archive and not in the store, and that balances and entries are
    unchanged."""
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
def test_an_archive_killed_at_any_moment_can_be_resumed(start_server, contract, tmp_path):
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


@pytest.mark.skipif(SERVER is None, reason="a running server needs PostgreSQL")
def test_servers_continue_during_an_archive(contract, tmp_path):
    server = FinalityServer(tmp_path / "beside", FAST).start()
    try:
        make_many(server, contract, MANY)
        with Traffic(server, contract) as traffic:
            until(lambda: len(traffic.orders) > 10, "the server has paid orders")
            date = instant()
            kill_after(server.store, tmp_path / "a", date, 0.2)
            result = archive(server.store, tmp_path / "a", date)
            count = len(traffic.orders)
            until(lambda: len(traffic.orders) > count + 10, "the server continues")
        assert result["removed"] >= MANY and result["left"] == []
        check_archive(tmp_path / "a")
        server.stop()
        server.verify()
    finally:
        server.clean_up()


@pytest.mark.skipif(SERVER is None, reason="the embedded store belongs to one process anyway")
def test_concurrent_archives_are_refused(contract, tmp_path):
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
            assert refused.returncode == 1 and "another process is archiving" in refused.stderr, refused.stderr
        finally:
            other.communicate(timeout=30)
        assert archive(server.store, tmp_path / "a", instant())["removed"] == 3
        server.stop()
        server.verify()
    finally:
        server.clean_up()


@pytest.mark.skipif(SERVER is None, reason="only PostgreSQL has roles")
def test_the_runtime_role_cannot_archive(contract, tmp_path):
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

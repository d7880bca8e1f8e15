"""Payments over the channels `sandbox` and `sandbox2`. Each is compared with the sandbox's ledger to the cent."""

import concurrent.futures
import random
import threading
import time

import pytest

from api import FINAL
from shop import Shop
from wait import until

CHANNELS = ["sandbox", "sandbox2"]
MANY = 200
CLIENTS = 16
SLOW_ANSWER_S = 3.0  # response time of the channel in the scenario `slow`


@pytest.fixture(scope="module")
def module_server(start_server):
    """A server for this module only, without time scaling. The last test stops it and audits its store."""
    return start_server("payments")


@pytest.fixture(scope="module")
def shop(contract, module_server, merchant_server):
    return Shop.of_demo(contract, module_server, merchant_server)


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_payer_pays(shop, channel):
    order = shop.order_paid_by(channel, "pays", metadata={"table": "7"})
    order = shop.check_end(order, "succeeded")
    assert order["paid_amount"] == order["amount"] and order["metadata"] == {"table": "7"}
    [payment] = order["payments"]
    assert payment["state"] == "succeeded" and payment["channel"] == channel
    [receipt] = shop.api.payment(payment["id"])["receipts"]
    assert receipt["state"] == "accepted" and receipt["amount"] == order["amount"]
    assert receipt["channel_trade_no"] == payment["channel_trade_no"] == shop.sandbox.trade_of(payment)["trade_no"]


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_person_pays(shop, channel):
    order = shop.order()
    assert order["state"] == "pending" and order["payments"] == []
    payment = shop.api.create_payment(order["id"], channel=channel, scenario="manual")
    assert payment["state"] == "pending" and payment["action"]["type"] == "redirect"
    assert shop.api.order(order["id"])["state"] == "pending"
    shop.sandbox.pay(payment)
    shop.check_end(order, "succeeded")


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_payer_declines_and_another_attempt_succeeds(shop, channel):
    order = shop.order_paid_by(channel, "declines")
    payment = shop.api.payment_when(order["payments"][0]["id"], "failed")
    assert payment["failure"]["code"] and payment["receipts"] == []
    order = shop.api.order_when(order["id"], lambda now: now["state"] == "pending", "is pending again")
    shop.api.create_payment(order["id"], channel=channel, scenario="pays")
    order = shop.check_end(order, "succeeded")
    assert [payment["state"] for payment in order["payments"]] == ["failed", "succeeded"]


@pytest.mark.parametrize("channel", CHANNELS)
def test_the_only_attempt_fails(shop, channel):
    order = shop.order_paid_by(channel, "declines", attempts=1)
    order = shop.check_end(order, "failed")
    problem = shop.api.create_payment(order["id"], channel=channel, expect=409)
    assert problem["code"] == "order_not_payable" and problem["state"] == "failed"


@pytest.mark.parametrize("channel", CHANNELS)
def test_an_unpaid_order_expires(shop, channel):
    order = shop.order_paid_by(channel, "never_pays", expires_in=2)
    order = shop.check_end(order, "closed", "expired")
    [payment] = order["payments"]
    assert payment["state"] == "closed"
    assert shop.sandbox.trade_of(payment)["state"] == "closed"


def test_an_order_without_a_payment_expires(shop):
    order = shop.order(expires_in=1)
    shop.check_end(order, "closed", "expired")


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_slow_channel_does_not_delay_the_response(shop, channel):
    began = time.monotonic()
    order = shop.order_paid_by(channel, "slow")
    took = time.monotonic() - began
    assert took < SLOW_ANSWER_S - 0.1, f"the response took {took:.2f} s: it waited for the channel"
    assert order["state"] == "processing"
    assert [payment["state"] for payment in order["payments"]] == ["processing"]
    shop.check_end(order, "succeeded")


def test_no_second_payment_while_a_result_is_outstanding(shop):
    order = shop.order()
    first = threading.Thread(target=shop.api.create_payment, args=(order["id"],), kwargs={"scenario": "slow"})
    first.start()
    try:
        shop.api.order_when(order["id"], lambda now: now["state"] == "processing", "is processing")
        response = shop.api.request("POST", f"/v1/orders/{order['id']}/payments", json={"channel": "sandbox2"})
        assert response.status_code == 409 and response.json()["code"] == "payment_in_progress"
        assert int(response.headers["Retry-After"]) >= 1
    finally:
        first.join()
    order = shop.check_end(order, "succeeded")
    assert len(order["payments"]) == 1


def test_a_second_payment_while_one_waits_for_its_payer(shop):
    order = shop.order_paid_by("sandbox", "manual")
    [waiting] = order["payments"]
    assert waiting["state"] == "pending"
    shop.api.create_payment(order["id"], channel="sandbox2", scenario="pays")
    order = shop.check_end(order, "succeeded")
    assert [payment["state"] for payment in order["payments"]] == ["closed", "succeeded"]
    assert shop.sandbox.trade_of(waiting)["state"] == "closed"


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_pending_order_is_closed(shop, channel):
    order = shop.order_paid_by(channel, "manual")
    closing = shop.api.close(order["id"])
    assert closing["state"] == "closed" or closing["close_requested"]
    order = shop.check_end(order, "closed", "cancelled")
    [payment] = order["payments"]
    assert shop.sandbox.trade_of(payment)["state"] == "closed"
    assert shop.sandbox.press(payment, "pay").status_code == 409
    assert shop.api.close(order["id"]) == order
    assert shop.api.create_payment(order["id"], channel=channel, expect=409)["state"] == "closed"


def test_an_order_without_a_payment_is_closed_immediately(shop):
    order = shop.order()
    assert shop.api.close(order["id"])["state"] == "closed"
    shop.check_end(order, "closed", "cancelled")


def test_a_paid_order_cannot_be_closed_nor_paid_again(shop):
    order = shop.check_end(shop.order_paid_by("sandbox", "pays"), "succeeded")
    problem = shop.api.close(order["id"], expect=409)
    assert problem["code"] == "order_succeeded" and problem["state"] == "succeeded"
    problem = shop.api.create_payment(order["id"], expect=409)
    assert problem["code"] == "order_not_payable" and problem["state"] == "succeeded"
    assert shop.api.order(order["id"]) == order


def test_the_same_merchant_order_no_is_the_same_order(shop):
    body = {"merchant_order_no": f"same-{time.time_ns()}", "payment": {"channel": "sandbox", "scenario": "manual"}}
    order = shop.order(**body)
    again = shop.order(expect=200, **body)
    assert again["id"] == order["id"] and len(again["payments"]) == 1
    problem = shop.order(expect=409, amount=2000, **body)
    assert problem["code"] == "merchant_order_no_conflict"
    assert shop.api.order(order["id"])["amount"] == order["amount"]
    shop.sandbox.pay(order["payments"][0])
    order = shop.check_end(order, "succeeded")
    assert shop.order(expect=200, **body) == order


def test_the_same_merchant_payment_no_is_the_same_payment(shop):
    order = shop.order()
    number = {"merchant_payment_no": "first"}
    payment = shop.api.create_payment(order["id"], scenario="manual", **number)
    assert payment["merchant_payment_no"] == "first"
    again = shop.api.create_payment(order["id"], scenario="manual", expect=200, **number)
    assert again["id"] == payment["id"]
    problem = shop.api.create_payment(order["id"], channel="sandbox2", scenario="manual", expect=409, **number)
    assert problem["code"] == "merchant_payment_no_conflict"
    shop.sandbox.pay(payment)
    order = shop.check_end(order, "succeeded")
    again = shop.api.create_payment(order["id"], scenario="manual", expect=200, **number)
    assert again["id"] == payment["id"] and again["state"] == "succeeded"


def test_a_payment_is_queried_on_demand(shop):
    order = shop.order_paid_by("sandbox", "manual")
    [payment] = order["payments"]
    assert shop.api.query(payment["id"])["state"] == "pending"
    shop.sandbox.pay(payment)
    assert shop.api.query(payment["id"])["state"] == "succeeded"
    shop.check_end(order, "succeeded")


def test_many_concurrent_orders(shop):
    """Runs orders that are paid, declined and cancelled, interleaved. Each reaches the expected state, and the amounts
    equal the sandbox's ledger."""
    dice = random.Random(20260131)
    stories = [pays] * 100 + [declines] * 30 + [is_paid_by_hand] * 40 + [is_cancelled] * 30
    dice.shuffle(stories)
    assert len(stories) == MANY
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
        results = [clients.submit(story, shop, dice.choice(CHANNELS), dice.randrange(1, 10**6)) for story in stories]
        expected = dict(one.result() for one in results)

    for order_id, state in expected.items():
        delivery = shop.received.wait_for(shop.path, order_id, timeout=30)[0]
        assert delivery.json["type"] == f"order.{state}", delivery.body
    check_books(shop, expected)
    ids = [delivery.id for delivery in shop.received.deliveries(shop.path) if delivery.object_id in expected]
    assert len(set(ids)) == MANY


def pays(shop, channel, amount):
    order = shop.order_paid_by(channel, "pays", amount=amount)
    return order["id"], "succeeded"


def declines(shop, channel, amount):
    order = shop.order_paid_by(channel, "declines", amount=amount, attempts=1)
    return order["id"], "failed"


def is_paid_by_hand(shop, channel, amount):
    order = shop.order_paid_by(channel, "manual", amount=amount)
    shop.sandbox.pay(order["payments"][0])
    return order["id"], "succeeded"


def is_cancelled(shop, channel, amount):
    order = shop.order_paid_by(channel, "never_pays", amount=amount)
    shop.api.close(order["id"])
    return order["id"], "closed"


def check_books(shop, expected):
    """Waits until no payment or trade is open. Then checks that every order of the shop agrees with the sandbox's
    ledger."""

    def quiet():
        orders = [order for order in shop.api.all("/v1/orders") if order["id"] in expected]
        ledger = shop.sandbox.ledger()
        numbers = [payment["out_trade_no"] for order in orders for payment in order["payments"]]
        payments_end = all(p["state"] in FINAL for order in orders for p in order["payments"])
        trades_end = all(ledger[number]["state"] != "waiting" for number in numbers if number in ledger)
        return (orders, ledger) if payments_end and trades_end else None

    orders, ledger = until(quiet, "every payment and trade is final", timeout=30, every=0.5)
    assert {order["id"]: order["state"] for order in orders} == expected
    for order in orders:
        shop.check_money(order, ledger)


def test_the_store_keeps_every_invariant(module_server):
    """Must be the last test of the module: stops the server gracefully and audits its store."""
    module_server.stop()
    report = module_server.verify()
    assert report["checked"], report

"""Runs every scenario of the sandbox's simple channels. Each order reaches the expected state, and its amounts equal
the sandbox's ledger to the cent.

The module first creates all orders concurrently, so that the delays of slow scenarios overlap.
"""

import collections
import concurrent.futures
import re
import threading
import time
import uuid

import pytest
import requests

from api import FINAL, order_body
from conftest import FAST
from sandbox_client import net_paid
from scenarios import (AMOUNT, ROWS, Row, cases_of, check_money, check_paid_twice, check_webhooks, end_of, reversals_of,
                       webhooks_for_external)
from shop import Shop
from wait import until

FORGERIES = 3  # forged notifications per order in the scenario
UNVERIFIED = re.compile(r'^finality_notifications_refused_total\{[^}]*reason="unverified"[^}]*\} (\S+)$', re.MULTILINE)


@pytest.fixture(scope="module")
def module_server(start_server):
    """A server for this module only, because the last test stops it and audits its store."""
    return start_server("failures", FAST)


@pytest.fixture(scope="module")
def shop(contract, module_server, merchant_server):
    return Shop.of_demo(contract, module_server, merchant_server)


@pytest.fixture(scope="module", autouse=True)
def orders(shop):
    """Concurrently creates one order per scenario. Returns {row name: order}."""
    def make(number, row):
        channel = ["sandbox", "sandbox2"][number % 2]
        began = time.monotonic()
        order = shop.order_paid_by(channel, row.scenario, amount=AMOUNT, **row.fields)
        assert time.monotonic() - began < 2.9, f"{row.name}: the response waited for the channel"
        if row.scenario == "slow":
            assert order["state"] == "processing"
        if row.closes:
            shop.api.payment_when(order["payments"][0]["id"], "pending")
            shop.api.close(order["id"])
        return order

    with concurrent.futures.ThreadPoolExecutor(len(ROWS)) as clients:
        made = {row.name: clients.submit(make, number, row) for number, row in enumerate(ROWS)}
        return {name: one.result() for name, one in made.items()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_order_has_the_expected_end(shop, orders, module_server, row):
    if row.outage:
        module_server.advance(row.outage)
    order = end_of(shop, orders[row.name], row)
    assert len(order["payments"]) == 1
    check_money(shop, order, net=row.net)
    check_webhooks(shop, order, row.reversals, row.cases, webhooks_for_external(row))
    shop.check_timeline(order)
    shop.check_events(order)


# Additional tests of single scenarios.

def test_both_upstream_trades_of_one_payment_are_receipts(shop, orders):
    [payment] = orders["pays_twice"]["payments"]
    receipts = until(lambda: shop.api.payment(payment["id"])["receipts"][1:] and shop.api.payment(payment["id"]),
                     "there are two receipts")["receipts"]
    until(lambda: [net_paid(trade) for trade in shop.sandbox.trades_of(payment)] == [AMOUNT, 0],
          "the second trade is refunded by its own number")
    first, second = shop.sandbox.trades_of(payment)
    by_trade = {one["channel_trade_no"]: one for one in receipts}
    assert by_trade[first["trade_no"]]["state"] == "accepted"
    [reversal] = reversals_of(shop, orders["pays_twice"])
    assert reversal["receipt"] == by_trade[second["trade_no"]]["id"]


def test_a_lost_notification_is_found_by_a_query(shop, orders):
    story = story_of(shop, orders["notification_lost"])
    assert not [item for item in story if item["kind"] == "notification"]
    [paid] = [item for item in story if item["detail"].get("type") == "payment.paid"]
    assert paid["detail"]["cause"]["kind"] == "query"


def test_late_evidence_changes_nothing(shop, orders):
    for name, kind in [("notification_reordered", "notification"), ("notification_before_reply", "response")]:
        story = story_of(shop, orders[name])
        moved = [number for number, item in enumerate(story) if item["detail"].get("type") == "payment.paid"]
        waiting = [number for number, item in enumerate(story)
                   if item["kind"] == kind and item["detail"].get("evidence") == "waiting"]
        assert len(moved) == 1 and waiting and waiting[-1] > moved[0], name


def test_forged_notifications_are_refused_and_counted(shop, orders):
    order = shop.api.order_when_final(orders["notification_forged"]["id"])
    text = shop.api.current_metrics()
    assert sum(float(value) for value in UNVERIFIED.findall(text)) == FORGERIES
    [trade] = shop.sandbox.trades_of(order["payments"][0])
    [receipt] = shop.api.payment(order["payments"][0]["id"])["receipts"]
    assert receipt["paid_at"] == trade_time(shop, trade), "a forged notification was accepted"


def trade_time(shop, trade):
    return requests.get(f"{shop.sandbox.url}/wallet/{trade['trade_no']}", headers={"Accept": "application/json"},
                        timeout=10, proxies={"http": None}).json()["paid_at"]


def test_a_payment_that_does_not_match_stays_in_suspense(shop, orders):
    for name in ["wrong_amount", "wrong_currency"]:
        order = shop.api.order_when_at_rest(orders[name]["id"])
        payment = shop.api.payment(order["payments"][0]["id"])
        assert order["state"] == "processing" and payment["state"] == "under_review" and "failure" not in payment
        assert [receipt["state"] for receipt in payment["receipts"]] == ["suspense"]


@pytest.mark.parametrize("scenario", ["wrong_amount", "wrong_currency"])
def test_a_payment_that_does_not_match_is_refunded_when_operators_decide(shop, module_server, scenario):
    order = shop.order_paid_by("sandbox", scenario, amount=AMOUNT, attempts=1)
    shop.api.order_when_at_rest(order["id"])
    [case] = until(lambda: cases_of(shop, order), "there is a case")
    assert reversals_of(shop, order) == []
    proposal = {"resolution": "refund", "note": "not ours"}
    proposed = decide_as(module_server, "operator", f"/v1/cases/{case}/propose", proposal)
    decide_as(module_server, "approver", f"/v1/cases/{case}/approve", {"version": proposed["version"]})
    [reversal] = until(lambda: reversals_of(shop, order), "a reversal exists")
    assert shop.api.refund_when_final(reversal["id"])["state"] == "succeeded"
    order = shop.api.order(order["id"])
    assert order["state"] == "failed" and order["payments"][0]["failure"]["code"] == "amount_mismatch"
    check_money(shop, order)
    check_webhooks(shop, order, reversals=1, cases=["amount_mismatch"])


def test_operators_accept_an_underpaid_order(shop, module_server):
    order = shop.order_paid_by("sandbox", "wrong_amount", amount=AMOUNT, attempts=1)
    payment = shop.api.order_when_at_rest(order["id"])["payments"][0]
    again = {"channel": "sandbox", "method": "web"}
    assert shop.api.post(f"/v1/orders/{order['id']}/payments", again, expect=409)["code"] == "payment_in_progress"
    [case] = until(lambda: cases_of(shop, order), "there is a case")
    shown = decide_as(module_server, "operator", f"/v1/cases/{case}/propose", {"resolution": "accept", "note": "ok"})
    assert {"accept", "refund"} == set(shown["resolutions"])
    decide_as(module_server, "approver", f"/v1/cases/{case}/approve", {"version": shown["version"]})
    order = shop.api.order_when_final(order["id"])
    assert (order["state"], order["amount"], order["paid_amount"]) == ("succeeded", AMOUNT, AMOUNT - 1)
    [receipt] = shop.api.payment(payment["id"])["receipts"]
    assert (receipt["state"], receipt["accepted_difference"]) == ("accepted", -1)
    check_webhooks(shop, order, cases=["amount_mismatch"])
    refund = {"payment": payment["id"], "merchant_refund_no": f"R-{order['id']}"}
    assert shop.api.post("/v1/refunds", refund | {"amount": AMOUNT}, expect=409)["code"] == "refund_exceeds_paid"
    made = shop.api.post("/v1/refunds", refund | {"amount": AMOUNT - 1}, expect=201)
    assert shop.api.refund_when_final(made["id"])["state"] == "succeeded"
    assert [trade["refunded"] for trade in shop.sandbox.trades_of(payment)] == [AMOUNT - 1]


def decide_as(server, role, path, body):
    headers = {"Authorization": f"Bearer {server.demo['operators'][role]}",
               "Finality-Merchant": server.demo["merchant_id"]}
    response = requests.post(server.demo["base_url"] + path, json=body, headers=headers, timeout=10,
                             proxies={"http": None})
    assert response.status_code == 200, response.text
    return response.json()


def test_a_lost_request_is_sent_again_under_the_same_number(shop, orders):
    for name in ["request_lost", "channel_down"]:
        order = shop.api.order_when_final(orders[name]["id"], timeout=30.0)
        sent = [item for item in story_of(shop, order) if item["detail"].get("type") == "payment.send"]
        assert len(sent) == 2, name
        assert len(shop.sandbox.trades_of(order["payments"][0])) == 1


def story_of(shop, order):
    return shop.api.timeline(order["id"])


# Tests of refunds.

def paid_order(shop, scenario="pays", **fields):
    order = shop.order_paid_by("sandbox", scenario, amount=AMOUNT, **fields)
    return shop.api.order_when_final(order["id"])


def check_refunded(shop, order, refunds):
    order = shop.api.order(order["id"])
    check_money(shop, order)
    check_webhooks(shop, order, refunds=[f"refund.{refund['state']}" for refund in refunds])
    shop.check_events(order)
    return order


TEMPORARY = ("refund_fails_twice", "refund_not_now")  # the scenarios whose first two refunds are refused temporarily


@pytest.mark.parametrize("scenario, attempts", [("pays", 1), ("refund_fails_twice", 3), ("refund_not_now", 1),
                                                ("refund_unknown", 1)])
def test_a_refund_succeeds(shop, module_server, scenario, attempts):
    """Each attempt has a new out_refund_no, except after `refund_not_now`, where the retry reuses it. The pause after a
    temporary refusal is long, so the test advances the clock."""
    order = paid_order(shop, scenario)
    [payment] = order["payments"]
    number = str(uuid.uuid4())
    made = shop.api.create_refund(payment["id"], amount=999, merchant_refund_no=number, reason="cold")
    again = shop.api.create_refund(payment["id"], amount=999, merchant_refund_no=number, reason="cold", expect=200)
    assert again["id"] == made["id"]
    problem = shop.api.create_refund(payment["id"], amount=998, merchant_refund_no=number, expect=409)
    assert problem["code"] == "merchant_refund_no_conflict"
    waits = scenario in TEMPORARY
    refund = shop.api.refund_when_final(made["id"], timeout=30.0 if waits else 15.0,
                                        meanwhile=(lambda: module_server.advance("1s")) if waits else None)
    assert refund["state"] == "succeeded" and refund["attempts"] == attempts and refund["reason"] == "cold"
    order = check_refunded(shop, order, [refund])
    assert order["refunded_amount"] == 999 and order["state"] == "succeeded"
    assert sum(trade["refunded"] for trade in shop.sandbox.trades_of(payment)) == 999


def returned_of(shop, refund):
    return shop.api.get(f"/v1/refunds/{refund['id']}")["returned_amount"]


def test_a_returned_refund_is_credited_to_the_merchant(shop):
    order = paid_order(shop, "refund_returned")
    [payment] = order["payments"]
    refund = shop.api.create_refund(payment["id"], amount=999)
    until(lambda: returned_of(shop, refund) == 999, "the refund is returned")
    refund = shop.api.get(f"/v1/refunds/{refund['id']}")
    assert refund["state"] == "succeeded", "a succeeded refund is final"
    [returned] = shop.api.all(f"/v1/refunds/{refund['id']}/returns")
    assert returned["object"] == "return" and returned["id"].startswith("ret_") and returned["of"] == refund["id"]
    assert returned["amount"] == 999 and returned["currency"] == refund["currency"] and returned["channel_no"]
    order = shop.api.order(order["id"])
    assert order["refunded_amount"] == 0 and order["state"] == "succeeded"
    check_money(shop, order)
    types = ["refund.succeeded", "refund.returned"]
    check_webhooks(shop, order, refunds=types)
    again = shop.api.create_refund(payment["id"])
    assert again["amount"] == AMOUNT, "the whole amount is refundable again"
    until(lambda: returned_of(shop, again) == AMOUNT, "the second refund is returned too")
    order = shop.api.order(order["id"])
    check_money(shop, order)
    check_webhooks(shop, order, refunds=types * 2)
    shop.check_timeline(order)
    shop.check_events(order)


def test_a_refund_that_is_paid_twice_is_booked_twice(shop):
    order = paid_order(shop, "abandoned_refund_pays")
    [payment] = order["payments"]
    refund = shop.api.refund_when_final(shop.api.create_refund(payment["id"], amount=999)["id"])
    assert refund["state"] == "succeeded" and refund["attempts"] == 2
    check_paid_twice(shop, order, payment, refund)


def test_a_refused_refund_releases_its_amount(shop):
    order = paid_order(shop, "refund_refused")
    [payment] = order["payments"]
    first = shop.api.refund_when_final(shop.api.create_refund(payment["id"])["id"])
    assert first["state"] == "failed" and first["failure"]["code"] == "refund_refused"
    second = shop.api.refund_when_final(shop.api.create_refund(payment["id"], amount=AMOUNT)["id"])
    assert check_refunded(shop, order, [first, second])["refunded_amount"] == 0


def test_no_more_is_refunded_than_was_paid(shop):
    order = paid_order(shop)
    [payment] = order["payments"]
    first = shop.api.create_refund(payment["id"], amount=1000)
    problem = shop.api.create_refund(payment["id"], amount=1000, expect=409)
    assert problem["code"] == "refund_exceeds_paid"
    rest = shop.api.create_refund(payment["id"])
    assert rest["amount"] == 999
    assert shop.api.create_refund(payment["id"], expect=409)["code"] == "refund_exceeds_paid"
    ended = [shop.api.refund_when_final(refund["id"]) for refund in [first, rest]]
    assert [refund["id"] for refund in shop.api.all("/v1/refunds", payment=payment["id"])] == [rest["id"], first["id"]]
    assert shop.api.all("/v1/refunds", order=order["id"], kind="reversal") == []
    order = check_refunded(shop, order, ended)
    assert order["refunded_amount"] == AMOUNT and order["state"] == "succeeded"
    assert cases_of(shop, order) == set(), "a requested refund opens no case"


def test_only_a_payment_that_succeeded_is_refunded(shop):
    [payment] = shop.order_paid_by("sandbox", "manual")["payments"]
    problem = shop.api.create_refund(payment["id"], expect=409)
    assert problem["code"] == "payment_not_refundable" and problem["state"] == "pending"
    shop.api.get("/v1/refunds", expect=400)
    shop.api.create_refund("pay_0000000000001", expect=404)


def test_ten_refunds_race_for_the_same_rest(shop):
    order = paid_order(shop)
    [payment] = order["payments"]
    answers = concurrently(10, lambda _: shop.api.create_refund(payment["id"], amount=600, expect={201, 409}))
    made = [answer for answer in answers if "id" in answer]
    assert len(made) == 3
    assert {answer["code"] for answer in answers if "code" in answer} == {"refund_exceeds_paid"}
    ended = [shop.api.refund_when_final(refund["id"]) for refund in made]
    assert check_refunded(shop, order, ended)["refunded_amount"] == 1800


# Tests of concurrent requests.

def concurrently(count, act):
    """Calls `act(i)` for i in range(count) on `count` threads at the same moment. Returns the results."""
    start = threading.Barrier(count)

    def one(number):
        start.wait()
        return act(number)

    with concurrent.futures.ThreadPoolExecutor(count) as clients:
        return list(clients.map(one, range(count)))


def test_two_channels_both_pay_one_order(shop):
    order = shop.order_paid_by("sandbox", "pays_on_close", amount=AMOUNT)
    shop.api.payment_when(order["payments"][0]["id"], "pending")
    shop.api.create_payment(order["id"], channel="sandbox2", scenario="pays")
    order = end_of(shop, order, Row("two channels", reversals=1))
    assert [payment["state"] for payment in order["payments"]] == ["closed", "succeeded"]
    check_money(shop, order)
    check_webhooks(shop, order, reversals=1)


def test_two_payers_pay_concurrently(shop):
    order = shop.order_paid_by("sandbox", "manual", amount=AMOUNT)
    first = shop.api.payment_when(order["payments"][0]["id"], "pending")
    second = shop.api.create_payment(order["id"], channel="sandbox2", scenario="manual")
    pressed = concurrently(2, lambda number: shop.sandbox.press([first, second][number], "pay").status_code)
    reversals = pressed.count(200) - 1
    assert reversals >= 0
    order = end_of(shop, order, Row("two payers", reversals=reversals))
    check_money(shop, order)
    check_webhooks(shop, order, reversals=reversals)


@pytest.mark.parametrize("policy", ["ask", "local"])
def test_a_hundred_closes_race_a_success(shop, policy):
    order = shop.order_paid_by("sandbox", "manual", amount=AMOUNT, close_policy=policy)
    payment = shop.api.payment_when(order["payments"][0]["id"], "pending")

    def act(number):
        if number == 0:
            return shop.sandbox.press(payment, "pay").status_code
        answer = shop.api.post(f"/v1/orders/{order['id']}/close", expect={200, 409})
        return answer["state"] in FINAL or answer["close_requested"] if "id" in answer else answer["code"]

    pressed, *closed = concurrently(101, act)
    assert set(closed) <= {True, "order_succeeded"}
    state = shop.api.order_when_final(order["id"])["state"]
    late = pressed == 200 and state == "closed"
    order = end_of(shop, order, Row("a close races", state, reversals=int(late)))
    assert pressed == 200 or state == "closed"
    check_money(shop, order)
    check_webhooks(shop, order, reversals=int(late))


def test_fifty_clients_with_one_key(shop):
    key = {"Idempotency-Key": str(uuid.uuid4())}
    body = order_body(payment={"channel": "sandbox", "scenario": "pays"})
    answers = concurrently(50, lambda _: shop.api.post("/v1/orders", body, expect={201, 409}, headers=key))
    made = [answer for answer in answers if "id" in answer]
    assert made and len({order["id"] for order in made}) == 1
    assert {answer["code"] for answer in answers if "code" in answer} <= {"idempotency_key_in_use"}
    check_one_order(shop, body)
    assert shop.api.post("/v1/orders", body, expect=201, headers=key)["id"] == made[0]["id"]


def test_fifty_clients_with_one_number(shop):
    body = order_body(payment={"channel": "sandbox2", "scenario": "pays"})
    answers = concurrently(50, lambda _: shop.api.request("POST", "/v1/orders", json=body))
    assert collections.Counter(answer.status_code for answer in answers) == {201: 1, 200: 49}
    assert len({answer.json()["id"] for answer in answers}) == 1
    check_one_order(shop, body)


def check_one_order(shop, body):
    [order] = shop.api.all("/v1/orders", merchant_order_no=body["merchant_order_no"])
    order = shop.api.order_when_final(order["id"])
    assert order["state"] == "succeeded" and len(order["payments"]) == 1
    assert len(shop.sandbox.trades_of(order["payments"][0])) == 1
    check_money(shop, order)


def test_a_payment_is_retried_after_a_client_timeout(shop):
    order = shop.order(amount=AMOUNT)
    path = f"/v1/orders/{order['id']}/payments"
    body = {"channel": "sandbox", "merchant_payment_no": "P-1", "scenario": "slow"}
    with pytest.raises(requests.Timeout):
        shop.api.request("POST", path, json=body, timeout=0.3)
    again = shop.api.post(path, body, expect=200)
    order = end_of(shop, order, Row("a retry"))
    assert [payment["id"] for payment in order["payments"]] == [again["id"]]
    assert len(shop.sandbox.trades_of(again)) == 1
    check_money(shop, order)


def test_no_order_has_changed_since(shop, orders):
    for row in ROWS:
        order = shop.api.order(orders[row.name]["id"])
        assert order["state"] == row.state, order
        assert len(reversals_of(shop, order)) == row.reversals, row.name
        assert len(cases_of(shop, order)) == len(row.cases), row.name
        check_money(shop, order, net=row.net)


def test_the_store_keeps_every_invariant(module_server):
    """Must be the last test of the module: stops the server gracefully and audits its store."""
    module_server.stop()
    report = module_server.verify()
    assert report["checked"], report

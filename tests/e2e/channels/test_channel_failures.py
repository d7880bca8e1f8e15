"""Runs the scenarios of test_failures.py over the protocols of Alipay and WeChat Pay. Each order reaches the expected
state, and its amounts equal the sandbox's ledger to the cent."""

import concurrent.futures
import dataclasses

import pytest

from api import FINAL, Api
from conftest import FAST
from scenarios import (AMOUNT, ROWS, cases_of, check_money, check_paid_twice, check_webhooks, end_of,
                       webhooks_for_external)
from shop import Shop
from wait import until

WAYS = {"alipay": "qr", "wechatpay": "native"}
# Alipay has one status for declined and closed trades, so a late success is an unexpected payment, not a conflict.
# WeChat Pay does not report a decline: the order stays pending, and the payer pays it.
OTHERWISE = {("alipay", "failure_then_success"): {"cases": ()},
             ("wechatpay", "failure_then_success"): {"state": "succeeded", "reversals": 0, "cases": ()}}
CASES = [(channel, dataclasses.replace(row, **OTHERWISE.get((channel, row.name), {})))
         for channel in WAYS for row in ROWS]


def name_of(value):
    return value if isinstance(value, str) else value.name


@pytest.fixture(scope="module")
def module_server(start_server):
    """A server for this module only, because the last test stops it and audits its store."""
    return start_server("channel_failures", FAST)


@pytest.fixture(scope="module")
def shop(contract, module_server, merchant_server):
    return Shop.of_demo(contract, module_server, merchant_server)


def order_over(shop, channel, scenario, **fields):
    payment = {"channel": channel, "method": WAYS[channel], "scenario": scenario}
    return shop.order(amount=AMOUNT, payment=payment, **fields)


@pytest.fixture(scope="module", autouse=True)
def orders(shop):
    """Concurrently creates one order per scenario and channel. Returns the orders by scenario and channel."""
    def make(case):
        channel, row = case
        order = order_over(shop, channel, row.scenario, **row.fields)
        if row.closes:
            shop.api.payment_when(order["payments"][0]["id"], "pending")
            shop.api.close(order["id"])
        return order

    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as clients:
        return {(channel, row.name): order for (channel, row), order in zip(CASES, clients.map(make, CASES))}


@pytest.mark.parametrize("channel, row", CASES, ids=name_of)
def test_each_order_has_the_expected_end(shop, orders, module_server, channel, row):
    if row.outage:
        module_server.advance(row.outage)
    order = end_of(shop, orders[channel, row.name], row)
    assert len(order["payments"]) == 1 and order["payments"][0]["channel"] == channel
    check_money(shop, order, net=row.net)
    check_webhooks(shop, order, row.reversals, row.cases, webhooks_for_external(row))
    shop.check_timeline(order)
    shop.check_events(order)


@pytest.mark.parametrize("channel", WAYS)
@pytest.mark.parametrize("scenario, state", [("refund_fails_twice", "succeeded"), ("refund_not_now", "succeeded"),
                                             ("refund_unknown", "succeeded"), ("refund_refused", "failed")])
def test_a_refund_has_the_expected_end(shop, module_server, channel, scenario, state):
    """Advances the clock, because the pause after `not_now` is long and an unknown result is queried only after the
    deadline of the request."""
    order = shop.api.order_when_final(order_over(shop, channel, scenario)["id"])
    [payment] = order["payments"]
    refund_id = shop.api.create_refund(payment["id"], amount=999)["id"]
    refund = shop.api.refund_when_final(refund_id, timeout=30.0, meanwhile=lambda: module_server.advance("1s"))
    assert refund["state"] == state, refund
    if scenario == "refund_not_now":
        assert refund["attempts"] == 1, "the attempt refused for lack of money must succeed under the same number"
    refunded = 999 if state == "succeeded" else 0
    order = shop.api.order(order["id"])
    assert order["refunded_amount"] == refunded
    assert sum(trade["refunded"] for trade in shop.sandbox.trades_of(payment)) == refunded
    check_money(shop, order)
    check_webhooks(shop, order, refunds=[f"refund.{state}"])


@pytest.mark.parametrize("channel", WAYS)
def test_an_unlisted_refusal_is_no_evidence(shop, module_server, channel):
    """A refusal with an unlisted code proves no result. The payment does not fail, and the order closes unpaid on
    request."""
    order = order_over(shop, channel, "refused_unlisted")
    shop.api.close(order["id"])
    until(lambda: shop.api.order(order["id"])["state"] in FINAL, "the order is final", 30.0,
          meanwhile=lambda: module_server.advance("1s"))
    order = shop.api.order(order["id"])
    [payment] = order["payments"]
    assert order["state"] == payment["state"] == "closed", order
    assert shop.sandbox.trades_of(payment) == []
    codes = {item["detail"].get("code") for item in shop.api.timeline(order["id"]) if item["kind"] == "response"}
    assert any(code and code.endswith("UNLISTED_REFUSAL") for code in codes), codes
    check_money(shop, order)


def test_a_refund_that_is_paid_twice_is_booked_twice(shop):
    order = shop.api.order_when_final(order_over(shop, "wechatpay", "abandoned_refund_pays")["id"])
    [payment] = order["payments"]
    refund = shop.api.refund_when_final(shop.api.create_refund(payment["id"], amount=999)["id"])
    check_paid_twice(shop, order, payment, refund)


def test_a_stranded_refund_has_a_case_until_it_arrives(contract, shop, module_server):
    order = shop.api.order_when_final(order_over(shop, "wechatpay", "refund_stranded")["id"])
    [payment] = order["payments"]
    refund = shop.api.refund_when_final(shop.api.create_refund(payment["id"], amount=999)["id"])
    assert refund["state"] == "succeeded" and refund["attempts"] == 1, refund
    [case] = cases_of(shop, order)
    operators = Api(contract, module_server.demo["base_url"], module_server.demo["operators"]["operator"], shop.id)
    row = operators.get(f"/v1/cases/{case}")
    assert row["kind"] == "result_overdue" and row["object_id"] == refund["id"]
    assert [each["code"] for each in row["evidence"]] == ["ABNORMAL"], "reported once"
    assert row["state"] == "resolved" and row["resolution"] == "settled"
    steps = [item["detail"].get("type") for item in shop.api.timeline(order["id"])]
    assert steps.index("case.created") < steps.index("refund.refunded")
    order = shop.api.order(order["id"])
    check_money(shop, order)
    check_webhooks(shop, order, cases=["result_overdue"], refunds=["refund.succeeded"])
    shop.check_timeline(order)


def test_the_store_keeps_every_invariant(module_server):
    """Must be the last test of the module: stops the server gracefully and audits its store."""
    module_server.stop()
    assert module_server.verify()["checked"]

"""Runs the sandbox's scenarios about authorizations. Each order reaches the expected state, nothing stays held, and its
amounts equal the sandbox's ledger to the cent.

The module first creates all orders concurrently, so that the delays of slow scenarios overlap.
"""

import concurrent.futures

import pytest

from authorizations import (AMOUNT, HALF, ROWS, capture, capture_when_final, check_cases, check_hold_money,
                            check_hold_webhooks, hold_of, manual_order, release, wait_until_held, wait_until_over)
from conftest import FAST
from scenarios import cases_of
from wait import until
from module_fixtures import receiver, shop  # noqa: F401


CASES = [(channel, row.at(channel)) for row in ROWS for channel in ("sandbox", "sandbox2", "alipay")]


@pytest.fixture(scope="module")
def module_server(start_server):
    """A server for this module only, because the last test stops it and audits its store."""
    return start_server("authorizations", FAST)


def act(shop, channel, row):
    """Creates the order of the row and makes the requests of its merchant. Returns the order."""
    order = manual_order(shop, row.scenario, channel, **row.fields)
    if row.closes:
        until(lambda: hold_of(shop, order)["state"] == "pending", "the payer is asked")
        shop.api.close(order["id"])
    if not row.captures and not row.releases:
        return order
    hold = wait_until_held(shop, order)
    if row.awaits:
        until(lambda: row.awaits(hold_of(shop, order)), f"the channel's console has acted on {hold['id']}", row.timeout)
    for amount, final in row.captures:
        capture_when_final(shop, capture(shop, hold, amount, final=final), row.timeout)
        hold = hold_of(shop, order)
    if row.releases:
        release(shop, hold)
    return order


@pytest.fixture(scope="module", autouse=True)
def orders(shop):
    """Concurrently acts all rows over their channels. Returns {(channel, row name): a future of the order}."""
    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as clients:
        made = {(channel, row.name): clients.submit(act, shop, channel, row) for channel, row in CASES}
    return made


@pytest.mark.parametrize("channel, row", CASES, ids=[f"{channel}-{row.name}" for channel, row in CASES])
def test_each_order_has_the_expected_end(shop, orders, channel, row):
    order = orders[channel, row.name].result()
    shop.api.order_when_final(order["id"], row.timeout)
    order = wait_until_over(shop, order, row.timeout)
    [hold] = order["authorizations"]
    assert (order["state"], hold["state"]) == (row.state, row.ended), order
    assert hold.get("end_reason", "") == row.reason, hold
    closed = "expired" if row.reason == "expired" else "cancelled"
    assert order.get("closed_reason") == (closed if row.state == "closed" else None), order
    assert order["paid_amount"] == row.paid, order
    states = [one["state"] for one in hold["captures"]]
    assert states.count("failed") == row.failed and set(states) <= {"succeeded", "failed"}, hold
    assert all(one["origin"] == row.origin for one in hold["captures"]), hold
    check_hold_money(shop, order)
    check_cases(shop, order, row)
    check_hold_webhooks(shop, order, row)
    shop.check_timeline(order)
    shop.check_events(order)


# Additional tests of single requests.

def test_an_authorization_reserves_the_amount_and_collects_nothing(shop):
    order = manual_order(shop, "authorizes", return_url="https://shop.example/back")
    hold = wait_until_held(shop, order)
    order = shop.api.order(order["id"])
    assert order["authorized_amount"] == AMOUNT and order["paid_amount"] == 0 and order["payments"] == []
    assert order["capture_before"] == hold["capture_before"] > order["created_at"]
    [held] = shop.sandbox.holds_of(hold)
    assert (held["authorized"], held["captured"], held["released"]) == (AMOUNT, 0, 0)
    assert shop.api.get(f"/v1/authorizations/{hold['id']}") == hold
    assert hold["id"] in {one["id"] for each in shop.api.all("/v1/orders", state="authorized")
                          for one in each["authorizations"]}
    assert "entry" not in {item["kind"] for item in shop.api.timeline(order["id"])}
    release(shop, hold)
    wait_until_over(shop, order)


def test_the_capture_method_decides_what_an_order_accepts(shop):
    manual, automatic = shop.order(capture_method="manual"), shop.order()
    body = {"channel": "sandbox", "scenario": "never_pays"}
    refused = shop.api.post(f"/v1/orders/{manual['id']}/payments", body, expect=409)
    assert refused["code"] == "capture_method_mismatch"
    refused = shop.api.post(f"/v1/orders/{automatic['id']}/authorizations", body, expect=409)
    assert refused["code"] == "capture_method_mismatch"
    assert {"authorized_amount", "authorizations", "capture_before"}.isdisjoint(automatic)
    made = shop.api.post(f"/v1/orders/{manual['id']}/authorizations", body, expect=201)
    assert made["object"] == "authorization" and made["order"] == manual["id"]
    shop.api.close(manual["id"])
    shop.api.close(automatic["id"])


def test_a_declined_authorization_leaves_the_order_payable(shop):
    order = manual_order(shop, "declines")
    until(lambda: hold_of(shop, order)["state"] == "failed", "the payer has declined")
    assert shop.api.order(order["id"])["state"] == "pending"
    shop.api.post(f"/v1/orders/{order['id']}/authorizations", {"channel": "sandbox2", "scenario": "authorizes"},
                  expect=(200, 201))
    hold = wait_until_held(shop, order)
    refused = shop.api.post(f"/v1/orders/{order['id']}/authorizations", {"channel": "sandbox"}, expect=409)
    assert refused["code"] == "order_not_payable" and refused["state"] == "authorized"
    capture_when_final(shop, capture(shop, hold))
    order = wait_until_over(shop, order)
    assert [one["state"] for one in order["authorizations"]] == ["failed", "captured"]
    check_hold_money(shop, order)


def test_a_repeated_number_returns_the_same_authorization(shop):
    order = shop.order(capture_method="manual")
    path = f"/v1/orders/{order['id']}/authorizations"
    body = {"channel": "sandbox", "scenario": "never_pays", "merchant_payment_no": "once"}
    made = shop.api.post(path, body, expect=201)
    assert shop.api.post(path, body, expect=200)["id"] == made["id"]
    refused = shop.api.post(path, body | {"channel": "sandbox2"}, expect=409)
    assert refused["code"] == "merchant_payment_no_conflict"
    shop.api.close(order["id"])


def test_nothing_is_released_before_it_is_held(shop):
    order = manual_order(shop, "never_pays")
    until(lambda: hold_of(shop, order)["state"] == "pending", "the payer is asked")
    hold = hold_of(shop, order)
    refused = release(shop, hold, expect=409)
    assert refused["code"] == "illegal_transition" and refused["state"] == "pending"
    assert capture(shop, hold, expect=409)["code"] == "authorization_not_capturable"
    shop.api.close(order["id"])


def test_a_released_authorization_is_returned_unchanged(shop):
    order = manual_order(shop, "authorizes")
    release(shop, wait_until_held(shop, order))
    order = wait_until_over(shop, order)
    [hold] = order["authorizations"]
    assert release(shop, hold) == shop.api.get(f"/v1/authorizations/{hold['id']}") == hold
    assert capture(shop, hold, expect=409)["code"] == "authorization_not_capturable"


def test_closing_an_authorized_order_releases_the_hold(shop):
    order = manual_order(shop, "authorizes")
    hold = wait_until_held(shop, order)
    shop.api.close(order["id"])
    order = shop.api.order_when_final(order["id"])
    assert order["state"] == "closed" and order["closed_reason"] == "cancelled"
    assert hold_of(shop, order)["end_reason"] == "order_closed"
    wait_until_over(shop, order)
    [held] = shop.sandbox.holds_of(hold)
    assert held["released"] == AMOUNT


def test_closing_after_a_partial_capture_keeps_what_was_captured(shop):
    order = manual_order(shop, "authorizes")
    hold = wait_until_held(shop, order)
    capture_when_final(shop, capture(shop, hold, HALF, final=False))
    shop.api.close(order["id"])
    order = wait_until_over(shop, order)
    assert order["state"] == "succeeded" and order["paid_amount"] == HALF
    check_hold_money(shop, order)


@pytest.mark.parametrize("channel", ["sandbox", "alipay"])
def test_a_second_hold_of_one_number_is_not_used(shop, channel):
    order = manual_order(shop, "authorizes_twice", channel)
    hold = wait_until_held(shop, order)
    first = hold["channel_trade_no"]
    until(lambda: cases_of(shop, order), "the second hold has a case")
    capture_when_final(shop, capture(shop, hold, HALF))
    order = shop.api.order_when_final(order["id"])
    assert order["state"] == "succeeded" and order["paid_amount"] == HALF and len(cases_of(shop, order)) == 1
    hold = hold_of(shop, order)
    assert hold["channel_trade_no"] == first and hold["released_amount"] == AMOUNT - HALF
    assert [one["captured"] for one in shop.sandbox.holds_of(hold) if one["auth_no"] == first] == [HALF]


def test_an_order_does_not_expire_while_an_amount_is_held(shop, module_server):
    order = manual_order(shop, "authorizes", expires_in=60)
    unpaid = shop.order(capture_method="manual", expires_in=60)
    hold = wait_until_held(shop, order)
    module_server.advance("90s")
    assert shop.api.order_when_final(unpaid["id"])["closed_reason"] == "expired"
    assert shop.api.order(order["id"])["state"] == "authorized"
    capture_when_final(shop, capture(shop, hold))
    assert shop.api.order_when_final(order["id"])["state"] == "succeeded"


def test_capture_fields_are_checked(shop):
    for fields, param in [({"capture_within": 60}, "capture_within"),
                          ({"on_capture_deadline": "capture"}, "on_capture_deadline"),
                          ({"capture_method": "manual", "capture_within": 0}, "capture_within"),
                          ({"capture_method": "manual", "on_capture_deadline": "keep"}, "on_capture_deadline")]:
        assert shop.order(expect=400, **fields)["param"] == param, fields


def test_a_channel_without_authorizations_is_refused(shop):
    order = shop.order(capture_method="manual")
    refused = shop.api.post(f"/v1/orders/{order['id']}/authorizations", {"channel": "wechatpay", "method": "native"},
                            expect=400)
    assert refused["code"] == "invalid_request" and refused["param"] == "channel", refused


@pytest.mark.parametrize("action, state, paid", [("release", "closed", 0), ("capture", "succeeded", AMOUNT)])
def test_the_deadline_releases_or_captures_the_rest(shop, module_server, action, state, paid):
    order = manual_order(shop, "authorizes", capture_within=3600, on_capture_deadline=action)
    hold = wait_until_held(shop, order)
    module_server.advance("2h")
    order = wait_until_over(shop, shop.api.order_when_final(order["id"], 30.0))
    assert order["state"] == state and order["paid_amount"] == paid, order
    assert [one["origin"] for one in hold_of(shop, order)["captures"]] == ["deadline"] * int(action == "capture")
    types = {one["type"] for one in shop.api.all("/v1/webhook_deliveries", order=order["id"])}
    assert hold["id"] and f"order.{state}" in types
    check_hold_money(shop, order)


def test_a_hold_that_the_payer_confirms_after_a_local_close_is_released(shop):
    order = manual_order(shop, "authorizes_on_close", close_policy="local")
    until(lambda: hold_of(shop, order)["state"] == "pending", "the payer is asked")
    shop.api.close(order["id"])
    order = wait_until_over(shop, shop.api.order_when_final(order["id"]))
    assert order["state"] == "closed" and order["authorized_amount"] == 0
    check_hold_money(shop, order)


def test_the_store_keeps_every_invariant(shop, module_server):
    """Must be the last test of the module: stops the server gracefully and audits its store."""
    module_server.stop()
    assert module_server.verify()["checked"]

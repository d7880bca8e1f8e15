"""The channel `wallet` authorizes an order with a hold on an account of the merchant. A capture posts the hold, and the
end of the authorization releases the rest."""

import uuid

import pytest

from api import order_body
from authorizations import capture, capture_when_final, hold_of, manual_order, release
from shop import check_chain
from wait import until
from module_fixtures import receiver, shop  # noqa: F401

AMOUNT, HALF = 1999, 999
BALANCE = 5000
WITHIN_MAX = 30 * 86_400  # seconds for which the wallet holds an amount


@pytest.fixture(scope="module")
def module_server(start_server):
    """A server for this module only, because the tests advance its clock and the last one audits its store."""
    return start_server("wallet-authorizations")


@pytest.fixture
def alice(bank):
    return bank.open(balance=BALANCE)


def held_order(shop, account, expect="authorized", **fields):
    """Creates an order that the account authorizes. Returns the order and its authorization."""
    order = shop.order(amount=AMOUNT, capture_method="manual", payment={"channel": "wallet", "account": account["id"]},
                       **fields)
    assert order["state"] == expect, order
    [hold] = order["authorizations"]
    return order, hold


def account_hold(bank, account, state="held"):
    """Returns the only hold of the account in that state."""
    [hold] = bank.api.all("/v1/holds", account=account["id"], state=state)
    return hold


def captured(shop, hold, amount=None, **fields):
    """Captures the amount, by default the whole. Returns the final capture."""
    return capture_when_final(shop, capture(shop, hold, amount, **fields))


def wait_until_ended(shop, order, state):
    """Waits until the order is final. Returns the order and its authorization, which is final too."""
    order = shop.api.order_when_final(order["id"])
    [hold] = order["authorizations"]
    assert order["state"] == state and hold["state"] == ("captured" if state == "succeeded" else "released"), order
    return order, hold


def sums_of(shop, order):
    """Returns {account kind: sum of the order's entries}."""
    entries = [item["detail"] for item in shop.api.timeline(order["id"]) if item["kind"] == "entry"]
    kinds = {entry["account_kind"] for entry in entries}
    return {kind: sum(entry["amount"] for entry in entries if entry["account_kind"] == kind) for kind in kinds}


def check_collected(shop, order, amount):
    """Checks that the payer paid the amount to the merchant, and that nothing is left between them."""
    sums = sums_of(shop, order)
    assert sums.pop("user", 0) == -amount and sums.pop("channel_receivable", 0) == 0, sums
    assert sum(sums.values()) == amount, sums


def check_webhooks(shop, order, *types):
    """Checks that exactly these webhooks were delivered, in any order."""
    def delivered():
        found = shop.api.all("/v1/webhook_deliveries", order=order["id"])
        done = all(one["state"] == "delivered" for one in found)
        return done and sorted(one["type"] for one in found) == sorted(types)

    until(delivered, f"{order['id']} has the webhooks {types}")


# Tests of authorizations.


def test_an_authorization_is_a_hold_on_the_account(shop, bank, alice):
    order, hold = held_order(shop, alice)
    assert (hold["state"], hold["channel"], hold["method"], hold["account"]) == (
        "authorized", "wallet", "balance", alice["id"])
    assert hold["authorized_amount"] == order["authorized_amount"] == AMOUNT and order["paid_amount"] == 0
    assert hold["captured_amount"] == hold["released_amount"] == 0 and hold["unfunded"] is False
    assert order["capture_before"] == hold["capture_before"] and hold["action"]["type"] == "none"
    found = account_hold(bank, alice)
    assert (found["source"], found["amount"], found["account"]) == ("wallet", AMOUNT, alice["id"])
    assert found["expires_at"] == hold["capture_before"], "the wallet needs no margin"
    bank.check(alice, balance=BALANCE, held=AMOUNT)
    assert sums_of(shop, order) == {}
    assert shop.api.get(f"/v1/authorizations/{hold['id']}") == hold and shop.api.order(order["id"]) == order
    assert shop.api.post(f"/v1/authorizations/{hold['id']}/query")["state"] == "authorized"
    release(shop, hold)


def test_a_later_authorization_over_the_wallet(shop, bank, alice):
    order = shop.order(capture_method="manual")
    path, body = f"/v1/orders/{order['id']}/authorizations", {"channel": "wallet", "account": alice["id"]}
    hold = shop.api.post(path, body, expect=201)
    assert hold["state"] == "authorized" and shop.api.order(order["id"])["state"] == "authorized"
    assert shop.api.post(path, body, expect=200)["id"] == hold["id"]
    bob = bank.open(balance=BALANCE)
    assert shop.api.post(path, body | {"account": bob["id"]}, expect=409)["code"] == "order_not_payable"
    bank.check(alice, balance=BALANCE, held=AMOUNT)
    bank.check(bob, balance=BALANCE, held=0)
    release(shop, hold)


def test_an_authorization_that_the_balance_refuses_leaves_the_order_payable(shop, bank, alice):
    poor = bank.open(balance=AMOUNT - 1)
    order, hold = held_order(shop, poor, expect="pending")
    assert (hold["state"], hold["failure"]["code"]) == ("failed", "insufficient_balance") and hold["failure"]["message"]
    assert hold["authorized_amount"] == order["authorized_amount"] == 0
    bank.check(poor, balance=AMOUNT - 1, held=0)
    check_chain(shop.api.all("/v1/events", object=hold["id"]), hold)
    second = shop.api.post(f"/v1/orders/{order['id']}/authorizations", {"channel": "wallet", "account": alice["id"]},
                           expect=201)
    assert second["state"] == "authorized"
    assert captured(shop, second)["state"] == "succeeded"
    order = shop.api.order(order["id"])
    assert order["state"] == "succeeded" and [one["state"] for one in order["authorizations"]] == ["failed", "captured"]
    check_collected(shop, order, AMOUNT)


def test_another_hold_limits_an_authorization(shop, bank, alice):
    held_elsewhere = bank.hold(alice, bank.till(), BALANCE - AMOUNT + 1)
    order, hold = held_order(shop, alice, expect="failed", attempts=1)
    assert hold["failure"]["code"] == "insufficient_balance" and order["authorized_amount"] == 0
    check_webhooks(shop, order, "order.failed")
    bank.void_hold(held_elsewhere)
    bank.check(alice, balance=BALANCE, held=0)


@pytest.mark.parametrize("code, prepare", [
    ("account_frozen", lambda bank, account: bank.change(account, "freeze")),
    ("account_closed", lambda bank, account: (bank.transfer(account, bank.till(), BALANCE),
                                              bank.change(account, "close")))])
def test_an_account_that_refuses_debits_authorizes_nothing(shop, bank, alice, code, prepare):
    prepare(bank, alice)
    before = bank.account(alice)
    _, hold = held_order(shop, alice, expect="pending")
    assert hold["state"] == "failed" and hold["failure"]["code"] == code
    assert bank.account(alice) == before


def test_a_request_that_is_refused_leaves_no_hold(shop, bank, alice):
    dollars = bank.open(currency="USD", overdraft=BALANCE)
    order = shop.order(capture_method="manual")
    path = f"/v1/orders/{order['id']}/authorizations"
    for fields, status, code in [({"account": dollars["id"]}, 422, "currency_mismatch"),
                                 ({"account": "acc_0000000000001"}, 404, "not_found"),
                                 ({}, 400, "invalid_request")]:
        assert shop.api.post(path, {"channel": "wallet"} | fields, expect=status)["code"] == code
    bank.lock(alice)
    assert shop.api.post(path, {"channel": "wallet", "account": alice["id"]}, expect=409)["code"] == "account_locked"
    assert shop.api.order(order["id"]) == order
    bank.check(dollars, balance=0, held=0)
    bank.check(alice, balance=BALANCE, held=0)


def test_the_wallet_holds_an_amount_for_thirty_days(shop, alice):
    body = {"capture_method": "manual", "payment": {"channel": "wallet", "account": alice["id"]}}
    refused = shop.order(expect=400, capture_within=WITHIN_MAX + 1, **body)
    assert refused["param"] == "capture_within"
    _, hold = held_order(shop, alice, capture_within=WITHIN_MAX)
    release(shop, hold)


def test_the_same_order_number_holds_once(shop, bank, alice):
    body = order_body(amount=AMOUNT, capture_method="manual", payment={"channel": "wallet", "account": alice["id"]})
    order = shop.api.post("/v1/orders", body, expect=201)
    assert shop.api.post("/v1/orders", body, expect=200) == order
    conflict = body | {"capture_within": 60}
    assert shop.api.post("/v1/orders", conflict, expect=409)["code"] == "merchant_order_no_conflict"
    bank.check(alice, balance=BALANCE, held=AMOUNT)
    release(shop, order["authorizations"][0])


@pytest.mark.parametrize("scenario, ended, reason", [
    ("manual", "closed", None), ("authorizes_on_close", "released", "late")])
def test_the_wallet_beside_an_authorization_that_waits(shop, bank, alice, scenario, ended, reason):
    order = manual_order(shop, scenario)
    until(lambda: hold_of(shop, order)["state"] == "pending", "the payer is asked")
    hold = shop.api.post(f"/v1/orders/{order['id']}/authorizations", {"channel": "wallet", "account": alice["id"]},
                         expect=201)
    assert hold["state"] == "authorized"

    def over():
        waiting = shop.api.order(order["id"])["authorizations"][0]
        return waiting if waiting["state"] == ended else None

    assert until(over, "nothing is held elsewhere").get("end_reason") == reason
    assert captured(shop, hold)["state"] == "succeeded"
    order = shop.api.order_when_final(order["id"])
    assert order["state"] == "succeeded" and order["paid_amount"] == AMOUNT
    bank.check(alice, balance=BALANCE - AMOUNT, held=0)
    check_collected(shop, order, AMOUNT)


# Tests of captures.


def test_the_whole_is_captured(shop, bank, alice):
    order, hold = held_order(shop, alice)
    reserved = account_hold(bank, alice)
    made = captured(shop, hold)
    assert (made["state"], made["amount"], made["origin"], made["final"]) == ("succeeded", AMOUNT, "merchant", True)
    assert made["channel_trade_no"] == reserved["id"]
    order, hold = wait_until_ended(shop, order, "succeeded")
    assert order["paid_amount"] == hold["captured_amount"] == AMOUNT and hold["released_amount"] == 0
    assert hold["end_reason"] == "captured" and hold["captures"] == [made]
    entry = bank.check(alice, balance=BALANCE - AMOUNT, held=0)[0]
    assert (entry["type"], entry["amount"], entry["source"]) == ("wallet_paid", -AMOUNT, "wallet")
    posted = bank.get_hold(reserved)
    assert (posted["state"], posted["posted_amount"]) == ("posted", AMOUNT)
    check_collected(shop, order, AMOUNT)
    check_webhooks(shop, order, "order.authorized", "capture.succeeded", "order.succeeded")
    shop.check_events(order)


@pytest.mark.parametrize("amount", [1, HALF, AMOUNT - 1])
def test_the_rest_of_a_partial_capture_is_released(shop, bank, alice, amount):
    order, hold = held_order(shop, alice)
    assert captured(shop, hold, amount)["amount"] == amount
    order, hold = wait_until_ended(shop, order, "succeeded")
    assert (order["paid_amount"], hold["captured_amount"], hold["released_amount"]) == (amount, amount, AMOUNT - amount)
    posted = account_hold(bank, alice, "posted")
    assert (posted["amount"], posted["posted_amount"]) == (AMOUNT, amount)
    bank.check(alice, balance=BALANCE - amount, held=0)
    check_collected(shop, order, amount)


def test_the_wallet_captures_once(shop, bank, alice):
    order, hold = held_order(shop, alice)
    refused = capture(shop, hold, HALF, expect=409, final=False)
    assert refused["code"] == "multiple_captures_unsupported"
    refused = capture(shop, hold, AMOUNT + 1, expect=409)
    assert refused["code"] == "capture_exceeds_authorized"
    bank.check(alice, balance=BALANCE, held=AMOUNT)
    fields = {"merchant_capture_no": f"once-{hold['id']}"}
    made = captured(shop, hold, HALF, **fields)
    assert capture(shop, hold, HALF, expect=200, **fields) == made
    assert capture(shop, hold, HALF + 1, expect=409, **fields)["code"] == "merchant_capture_no_conflict"
    again = capture(shop, hold, expect=409, merchant_capture_no=f"again-{hold['id']}")
    assert again["code"] == "authorization_not_capturable" and again["state"] == "captured"
    bank.check(alice, balance=BALANCE - HALF, held=0)
    check_collected(shop, order, HALF)


def test_the_last_cent_and_the_overdraft_can_be_captured(shop, bank):
    alice = bank.open(balance=1500, overdraft=499)
    _, hold = held_order(shop, alice)
    bank.check(alice, balance=1500, held=AMOUNT)
    assert captured(shop, hold)["state"] == "succeeded"
    bank.check(alice, balance=-499, held=0)


def test_an_account_frozen_before_the_capture_refuses_it_and_keeps_the_hold(shop, bank, alice):
    order, hold = held_order(shop, alice)
    bank.change(alice, "freeze")
    failed = captured(shop, hold)
    assert failed["state"] == "failed" and failed["failure"]["code"] == "account_frozen", failed
    assert shop.api.order(order["id"])["state"] == "authorized" and hold_of(shop, order)["captured_amount"] == 0
    bank.check(alice, balance=BALANCE, held=AMOUNT)
    bank.change(alice, "unfreeze")
    assert captured(shop, hold_of(shop, order))["state"] == "succeeded"
    order, hold = wait_until_ended(shop, order, "succeeded")
    assert [one["state"] for one in hold["captures"]] == ["failed", "succeeded"]
    bank.check(alice, balance=BALANCE - AMOUNT, held=0)
    check_collected(shop, order, AMOUNT)
    check_webhooks(shop, order, "order.authorized", "capture.failed", "capture.succeeded", "order.succeeded")
    shop.check_events(order)


def test_an_account_locked_after_the_authorization_does_not_refuse_the_capture(shop, bank, alice):
    """A lock serializes requests of the merchant's own workers. The amount was set aside before it."""
    order, hold = held_order(shop, alice)
    bank.lock(alice)
    assert captured(shop, hold)["state"] == "succeeded"
    wait_until_ended(shop, order, "succeeded")


# Tests of releases.


def test_a_release_voids_the_hold(shop, bank, alice):
    order, hold = held_order(shop, alice)
    reserved = account_hold(bank, alice)
    release(shop, hold)
    order, hold = wait_until_ended(shop, order, "closed")
    assert order["closed_reason"] == "cancelled" and hold["end_reason"] == "requested"
    assert (hold["captured_amount"], hold["released_amount"]) == (0, AMOUNT)
    voided = bank.get_hold(reserved)
    assert (voided["state"], voided["posted_amount"]) == ("voided", 0)
    bank.check(alice, balance=BALANCE, held=0)
    assert sums_of(shop, order) == {}
    assert release(shop, hold) == hold
    assert capture(shop, hold, expect=409)["code"] == "authorization_not_capturable"
    check_webhooks(shop, order, "order.authorized", "authorization.released", "order.closed")
    shop.check_events(order)


def test_a_hold_of_a_frozen_account_is_released(shop, bank, alice):
    order, hold = held_order(shop, alice)
    bank.change(alice, "freeze")
    release(shop, hold)
    wait_until_ended(shop, order, "closed")
    assert bank.account(alice)["held"] == 0


@pytest.mark.parametrize("policy", ["ask", "local"])
def test_closing_the_order_releases_the_hold(shop, bank, alice, policy):
    order, _ = held_order(shop, alice, close_policy=policy)
    shop.api.close(order["id"])
    order, hold = wait_until_ended(shop, order, "closed")
    assert order["closed_reason"] == "cancelled" and hold["end_reason"] == "order_closed"
    until(lambda: bank.account(alice)["held"] == 0, "the hold is voided")
    bank.check(alice, balance=BALANCE, held=0)


@pytest.mark.parametrize("action, state, paid", [("release", "closed", 0), ("capture", "succeeded", AMOUNT)])
def test_the_deadline_releases_or_captures_the_whole(shop, bank, module_server, alice, action, state, paid):
    order, hold = held_order(shop, alice, capture_within=3600, on_capture_deadline=action)
    assert account_hold(bank, alice)["expires_at"] == hold["capture_before"]
    module_server.advance("31m")
    until(lambda: "authorization.expiring" in {one["type"] for one in shop.api.all(
        "/v1/webhook_deliveries", order=order["id"])}, "the deadline approaches")
    assert shop.api.order(order["id"])["state"] == "authorized"
    module_server.advance("30m")
    order, hold = wait_until_ended(shop, order, state)
    assert order["paid_amount"] == paid and order["capture_before"] == hold["capture_before"]
    assert [one["origin"] for one in hold["captures"]] == ["deadline"] * int(action == "capture")
    assert hold["end_reason"] == ("captured" if paid else "expired")
    assert order.get("closed_reason") == (None if paid else "expired")
    bank.check(alice, balance=BALANCE - paid, held=0)
    check_collected(shop, order, paid)


def test_the_deadline_releases_what_a_frozen_account_does_not_pay(shop, bank, module_server, alice):
    order, _ = held_order(shop, alice, capture_within=3600, on_capture_deadline="capture")
    bank.change(alice, "freeze")
    module_server.advance("61m")
    order, hold = wait_until_ended(shop, order, "closed")
    [failed] = hold["captures"]
    assert (failed["origin"], failed["state"], failed["failure"]["code"]) == ("deadline", "failed", "account_frozen")
    assert bank.account(alice)["held"] == 0 and bank.balance(alice) == BALANCE


# Tests that only the authorization ends its hold.


def test_the_hold_of_an_authorization_cannot_be_posted_or_voided(shop, bank, alice):
    _, hold = held_order(shop, alice)
    reserved = account_hold(bank, alice)
    for refused in [bank.post_hold(reserved, expect=409), bank.post_hold(reserved, amount=1, expect=409),
                    bank.void_hold(reserved, expect=409)]:
        assert refused["code"] == "hold_not_open" and "authorization" in refused["detail"], refused
    assert bank.get_hold(reserved) == reserved
    bank.check(alice, balance=BALANCE, held=AMOUNT)
    assert captured(shop, hold)["state"] == "succeeded"
    assert bank.void_hold(reserved, expect=409)["code"] == "hold_not_open"
    bank.check(alice, balance=BALANCE - AMOUNT, held=0)


def test_an_account_with_the_hold_of_an_authorization_is_not_closed(shop, bank, alice):
    order, hold = held_order(shop, alice)
    bank.transfer(alice, bank.till(), BALANCE - AMOUNT)
    assert bank.transfer(alice, bank.till(), 1, expect=422)["code"] == "insufficient_balance"
    assert bank.change(alice, "close", expect=409)["code"] == "illegal_transition"
    release(shop, hold)
    wait_until_ended(shop, order, "closed")


# Tests of refunds.


def refund(shop, expect=201, **fields):
    return shop.api.post("/v1/refunds", {"merchant_refund_no": uuid.uuid4().hex} | fields, expect=expect)


def test_a_capture_is_refunded_to_the_account(shop, bank, alice):
    order, hold = held_order(shop, alice)
    made = captured(shop, hold, HALF)
    first = refund(shop, capture=made["id"], amount=500)
    assert first["state"] == "succeeded" and (first["capture"], first["authorization"]) == (made["id"], hold["id"])
    assert refund(shop, 409, capture=made["id"], amount=HALF - 499)["code"] == "refund_exceeds_paid"
    assert refund(shop, 409, authorization=hold["id"])["code"] == "payment_not_refundable"
    rest = refund(shop, capture=made["id"])
    assert rest["state"] == "succeeded" and rest["amount"] == HALF - 500
    entries = bank.check(alice, balance=BALANCE, held=0)
    assert [(entry["type"], entry["amount"]) for entry in entries[:3]] == [
        ("wallet_refunded", HALF - 500), ("wallet_refunded", 500), ("wallet_paid", -HALF)]
    order = shop.api.order(order["id"])
    assert order["state"] == "succeeded" and order["refunded_amount"] == HALF
    assert shop.api.get(f"/v1/captures/{made['id']}")["refunded_amount"] == HALF
    check_collected(shop, order, 0)


def test_a_refund_of_a_capture_to_a_closed_account_fails(shop, bank):
    alice = bank.open(balance=AMOUNT)
    order, hold = held_order(shop, alice)
    made = captured(shop, hold)
    bank.change(alice, "close")
    failed = refund(shop, capture=made["id"])
    assert failed["state"] == "failed" and failed["failure"]["code"] == "account_closed"
    assert shop.api.order(order["id"])["refunded_amount"] == 0
    bank.check(alice, balance=0)


def test_a_fee_is_charged_for_what_was_captured(shop, bank, alice):
    shop.operator.put("/v1/fees/wallet", {"basis_points": 100, "fixed": 0, "minimum": 0, "refundable": True})
    try:
        order, hold = held_order(shop, alice)
        made = captured(shop, hold, 1000)
    finally:
        shop.operator.put("/v1/fees/wallet", {"basis_points": 0, "fixed": 0, "minimum": 0, "refundable": True})
    assert made["fee_amount"] == 10
    fees = [item["detail"] for item in shop.api.timeline(order["id"])
            if item["kind"] == "entry" and item["detail"]["type"] == "fee_charged"]
    assert sorted(entry["amount"] for entry in fees) == [-10, 10]
    bank.check(alice, balance=BALANCE - 1000, held=0)


def test_the_store_keeps_every_invariant(shop, module_server):
    """Must be the last test of the module: stops the server gracefully and audits its store."""
    module_server.stop()
    assert module_server.verify()["checked"]

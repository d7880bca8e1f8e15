"""Fees are exact to the cent, are charged once per receipt, and are refunded in proportion to a refund if the fee is
refundable."""

import collections
import random

import pytest

from wrong_input import INTEGERS, cases_of, check_wrong

WRONG_FIELDS = {
    "basis_points": [*INTEGERS, -1, 10_001, 10**30],
    "fixed": [*INTEGERS, -1, 10**15 + 1],
    "minimum": [*INTEGERS, -1, 10**15 + 1],
    "maximum": [*INTEGERS, -1, 10**15 + 1],
    "refundable": ["true", 1, 0, None, []],
    "colour": ["red"],
}
# Rows: basis points, fixed fee, minimum, maximum, amount, expected fee. Amounts are in cents.
CHARGED = [
    (60, 30, None, None, 8000, 78),
    (60, 0, None, None, 8000, 48),
    (0, 30, None, None, 8000, 30),
    (0, 0, None, None, 8000, 0),
    (50, 0, None, None, 100, 1),      # 0.50 is rounded up
    (49, 0, None, None, 100, 0),      # 0.49 is rounded down
    (150, 0, None, None, 100, 2),     # 1.50 is rounded up
    (149, 0, None, None, 100, 1),
    (1, 0, None, None, 4999, 0),
    (1, 0, None, None, 5000, 1),
    (60, 0, 50, None, 8000, 50),      # the minimum applies
    (60, 0, 48, None, 8000, 48),
    (60, 0, None, 40, 8000, 40),      # the maximum applies
    (60, 0, None, 48, 8000, 48),
    (60, 0, 10, 10, 8000, 10),
    (0, 30, None, 0, 8000, 0),
    (60, 30, 100, None, 50, 50),      # a fee never exceeds the amount
    (0, 10**15, None, None, 1, 1),
    (10_000, 0, None, None, 8000, 8000),
    (10_000, 0, None, None, 10**15, 10**15),
    (1, 0, None, None, 10**15, 10**11),
    (3333, 7, None, None, 999_999_999_999_999, 333_300_000_000_007),
]


@pytest.fixture
def payer(bank):
    """Account with a very large overdraft, which pays the orders over the channel `wallet`."""
    return bank.open(overdraft=10**15)


def set_fee(shop, channel="wallet", basis_points=0, fixed=0, refundable=False, **fields):
    body = {"basis_points": basis_points, "fixed": fixed, "refundable": refundable} | fields
    return shop.operator.put(f"/v1/fees/{channel}", body)


def pay(shop, account, amount):
    """Creates an order and pays it from the account over the channel `wallet`. Returns the paid order."""
    order = shop.api.create_order(amount=amount, payment={"channel": "wallet", "account": account["id"]})
    assert order["state"] == "succeeded", order
    return order


def fee_of(order):
    """Returns the sum of the fees of the order's payments."""
    return sum(payment.get("fee_amount", 0) for payment in order["payments"])


def booked(shop, order, kind):
    """Returns the sum of the order's entries on accounts of this kind."""
    return sum(entries_of(shop, order, account_kind=kind).values())


def entries_of(shop, order, **wanted):
    """Returns {entry type: sum} of the order's entries whose fields equal `wanted`."""
    found = collections.Counter()
    for item in shop.api.timeline(order["id"]):
        detail = item["detail"]
        if item["kind"] == "entry" and all(detail[name] == value for name, value in wanted.items()):
            found[detail["type"]] += detail["amount"]
    return found


# Tests of setting fees.


def test_a_fee_is_set_changed_and_read(new_shop):
    shop = new_shop()
    shop.api.get("/v1/fees/sandbox", expect=404)
    assert shop.api.get("/v1/fees")["data"] == []
    fee = set_fee(shop, "sandbox", 60, 30, True, minimum=10, maximum=500)
    assert fee["object"] == "fee" and fee["channel"] == "sandbox"
    assert {name: fee[name] for name in ["basis_points", "fixed", "refundable", "minimum", "maximum"]} == {
        "basis_points": 60, "fixed": 30, "refundable": True, "minimum": 10, "maximum": 500}
    assert shop.api.get("/v1/fees/sandbox") == fee
    changed = set_fee(shop, "sandbox", 10_000, 0, False)
    assert changed["id"] == fee["id"] and not {"minimum", "maximum"} & set(changed)
    assert shop.api.get("/v1/fees/sandbox") == changed
    wallet = set_fee(shop, "wallet")
    assert shop.api.get("/v1/fees")["data"] == [wallet, changed]
    assert len(shop.api.all("/v1/events", object=fee["id"])) == 2
    assert new_shop().api.get("/v1/fees")["data"] == []


def test_a_merchant_cannot_set_its_own_fees(new_shop):
    shop = new_shop()
    body = {"basis_points": 0, "fixed": 0, "refundable": True}
    assert shop.api.put("/v1/fees/wallet", body, expect=403)["code"] == "forbidden"
    shop.api.get("/v1/fees/wallet", expect=404)
    fee = set_fee(shop, "wallet", 60, 30)
    named = {"Finality-Merchant": shop.id}  # the request uses the merchant's key
    assert shop.api.put("/v1/fees/wallet", body, expect=403, headers=named)["code"] == "forbidden"
    assert shop.api.get("/v1/fees/wallet") == fee


@pytest.mark.parametrize("field, value", cases_of(WRONG_FIELDS))
def test_a_wrong_field(shop, field, value):
    body = {"basis_points": 1, "fixed": 1, "refundable": True} | {field: value}
    check_wrong(shop.operator.request("PUT", "/v1/fees/sandbox2", json=body), field)
    shop.api.get("/v1/fees/sandbox2", expect=404)


@pytest.mark.parametrize("field", ["basis_points", "fixed", "refundable"])
def test_a_missing_field(shop, field):
    body = {"basis_points": 1, "fixed": 1, "refundable": True}
    del body[field]
    check_wrong(shop.operator.request("PUT", "/v1/fees/sandbox2", json=body), field)


def test_the_limit_is_named(shop):
    response = shop.operator.request("PUT", "/v1/fees/sandbox2",
                                     json={"basis_points": 10_001, "fixed": 1, "refundable": True})
    assert "10000" in check_wrong(response, "basis_points")


def test_a_minimum_above_the_maximum(shop):
    body = {"basis_points": 1, "fixed": 1, "refundable": True, "minimum": 2, "maximum": 1}
    assert shop.operator.put("/v1/fees/sandbox2", body, expect=400)["param"] in {"minimum", "maximum"}


def test_a_channel_that_does_not_exist(shop):
    shop.operator.put("/v1/fees/nowhere", {"basis_points": 1, "fixed": 1, "refundable": True}, expect=404)
    shop.api.get("/v1/fees/nowhere", expect=404)


# Tests of charging fees.


@pytest.mark.parametrize("basis_points, fixed, minimum, maximum, amount, fee", CHARGED)
def test_a_fee_is_right_to_the_cent(shop, payer, basis_points, fixed, minimum, maximum, amount, fee):
    bounds = {name: value for name, value in [("minimum", minimum), ("maximum", maximum)] if value is not None}
    set_fee(shop, basis_points=basis_points, fixed=fixed, **bounds)
    order = pay(shop, payer, amount)
    assert fee_of(order) == fee
    assert shop.api.order(order["id"])["payments"][0].get("fee_amount", 0) == fee
    assert booked(shop, order, "fee_income") == fee and booked(shop, order, "merchant_payable") == -fee
    assert booked(shop, order, "merchant_direct") == amount


def test_fees_of_any_rule_are_right_to_the_cent(shop, payer):
    dice = random.Random(20260131)
    for _ in range(40):
        basis_points, fixed, amount = dice.randrange(10_001), dice.randrange(100), dice.randrange(1, 10**7)
        set_fee(shop, basis_points=basis_points, fixed=fixed)
        half_up = (2 * amount * basis_points + 10_000) // 20_000
        assert fee_of(pay(shop, payer, amount)) == min(amount, fixed + half_up), (basis_points, fixed, amount)


def test_a_payment_keeps_the_fee_it_was_charged(shop, payer):
    set_fee(shop, basis_points=100)
    order = pay(shop, payer, 8000)
    set_fee(shop, basis_points=200)
    assert fee_of(shop.api.order(order["id"])) == 80 and fee_of(pay(shop, payer, 8000)) == 160


def test_the_fee_is_that_of_the_channel_and_of_the_merchant(new_shop):
    shop, other = new_shop(), new_shop()
    set_fee(shop, "sandbox2", 100)
    for one, channel, fee in [(shop, "sandbox2", 80), (shop, "sandbox", 0), (other, "sandbox2", 0)]:
        order = one.order_paid_by(channel, "pays", amount=8000)
        order = one.check_end(order, "succeeded")
        assert fee_of(order) == fee and booked(one, order, "fee_income") == fee
        assert booked(one, order, "merchant_payable") == 8000 - fee


@pytest.mark.parametrize("scenario, fields, state, fee", [
    ("notification_doubled", {}, "succeeded", 110), ("pays_twice", {}, "succeeded", 110),
    ("declines", {"attempts": 1}, "failed", 0), ("wrong_amount", {"attempts": 1}, "processing", 0)])
def test_an_accepted_receipt_is_charged_once_and_no_other_is(new_shop, scenario, fields, state, fee):
    shop = new_shop()
    set_fee(shop, "sandbox", 100, 30)
    order = shop.api.create_order(amount=8000, payment={"channel": "sandbox", "scenario": scenario}, **fields)
    order = shop.api.order_when_at_rest(order["id"])
    assert order["state"] == state and fee_of(order) == fee
    assert booked(shop, order, "fee_income") == fee
    assert booked(shop, order, "merchant_payable") == (8000 - fee if state == "succeeded" else 0)


def test_a_reversed_payment_is_charged_no_fee(new_shop):
    shop = new_shop()
    set_fee(shop, "sandbox", 100, 30)
    order = shop.order_paid_by("sandbox", "pays_after_close", amount=8000, close_policy="local")
    shop.api.close(order["id"])
    order = shop.check_end(order, "closed", "cancelled")
    assert fee_of(order) == 0 and booked(shop, order, "fee_income") == 0


# Tests of fees of refunded payments.


@pytest.mark.parametrize("amount, fee, parts", [(2, 1, [1]), (1000, 999, [333, 333, 333]), (2000, 20, [999, 1000])])
def test_the_fee_of_an_accepted_underpayment_follows_the_received_amount(server, new_shop, admin, amount, fee, parts):
    shop = new_shop()
    set_fee(shop, "sandbox", fixed=fee, refundable=True)
    order = shop.order_paid_by("sandbox", "wrong_amount", amount=amount, attempts=1)  # pays 1 too little
    shop.api.order_when_at_rest(order["id"])
    [case] = shop.operator.get("/v1/cases")["data"]
    shown = shop.operator.post(f"/v1/cases/{case['id']}/propose", {"resolution": "accept", "note": "ok"})
    key = admin.post("/v1/api_keys", {"role": "approver", "name": "second pair of eyes"}, expect=201)["key"]
    shop.api.as_operator(key, shop.id).post(f"/v1/cases/{case['id']}/approve", {"version": shown["version"]})
    order = shop.api.order_when_final(order["id"])
    assert fee_of(order) == booked(shop, order, "fee_income") == fee
    for part in parts:
        refund = shop.api.create_refund(order["payments"][0]["id"], amount=part)
        assert shop.api.refund_when_final(refund["id"])["state"] == "succeeded"
    assert booked(shop, order, "fee_income") == 0
    server.verify()


@pytest.mark.parametrize("amount, fee, parts", [
    (8000, 78, [1000, 3000, 4000]), (100, 1, [50, 49, 1]), (7, 5, [1] * 7), (3, 2, [1, 1, 1]), (8000, 78, [8000]),
    (10**15, 10**15, [1, 10**15 - 1]), (1000, 999, [1, 1, 998])])
def test_a_refundable_fee_is_returned_in_proportion(shop, payer, amount, fee, parts):
    set_fee(shop, fixed=fee, refundable=True)
    order = pay(shop, payer, amount)
    refunded = returned = 0
    for part in parts:
        refunded, before = refunded + part, returned
        returned = fee * refunded // amount
        refund = shop.api.create_refund(order["payments"][0]["id"], amount=part)
        assert refund["state"] == "succeeded" and refund["fee_returned"] == returned - before
        entries = entries_of(shop, order, account_kind="fee_income")
        assert entries["fee_charged"] == fee and entries["fee_returned"] == -returned, entries
        assert booked(shop, order, "fee_income") == fee - returned
        assert booked(shop, order, "merchant_payable") == returned - fee
        assert booked(shop, order, "merchant_direct") == amount - refunded
    assert booked(shop, order, "fee_income") == booked(shop, order, "merchant_payable") == 0
    assert fee_of(shop.api.order(order["id"])) == fee


def test_a_fee_that_is_not_refundable_stays(shop, payer):
    set_fee(shop, fixed=78)
    order = pay(shop, payer, 8000)
    shop.api.create_refund(order["payments"][0]["id"])
    assert booked(shop, order, "fee_income") == 78 and booked(shop, order, "merchant_payable") == -78


@pytest.mark.parametrize("then, later", [(True, False), (False, True)])
def test_a_fee_is_refundable_if_it_was_when_charged(shop, payer, then, later):
    set_fee(shop, fixed=78, refundable=then)
    order = pay(shop, payer, 8000)
    set_fee(shop, fixed=10, refundable=later)
    shop.api.create_refund(order["payments"][0]["id"])
    assert booked(shop, order, "fee_income") == (0 if then else 78)


@pytest.mark.parametrize("scenario, state, returned", [
    ("pays", "succeeded", 39), ("refund_fails_twice", "succeeded", 39), ("refund_refused", "failed", 0)])
def test_a_fee_is_returned_only_with_a_succeeded_refund(new_shop, scenario, state, returned):
    shop = new_shop()
    set_fee(shop, "sandbox", fixed=78, refundable=True)
    order = shop.api.create_order(amount=8000, payment={"channel": "sandbox", "scenario": scenario})
    order = shop.api.order_when_final(order["id"])
    refund = shop.api.create_refund(order["payments"][0]["id"], amount=4000)
    assert shop.api.refund_when_final(refund["id"])["state"] == state
    assert booked(shop, order, "fee_income") == 78 - returned
    gone = 4000 if state == "succeeded" else 0
    assert booked(shop, order, "merchant_payable") == 8000 - 78 - gone + returned

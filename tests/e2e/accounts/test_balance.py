"""The merchant's balance at the platform: what remains of its receipts after refunds and fees."""

import pytest


@pytest.fixture
def fresh(new_shop):
    """A merchant without ledger accounts."""
    return new_shop()


def balance(api, currency="CNY"):
    """Returns the balance in that currency without its constant fields."""
    page = api.get("/v1/balance")
    assert page["url"] == "/v1/balance" and not page["has_more"]
    assert page["data"] == sorted(page["data"], key=lambda row: row["currency"])
    [row] = [row for row in page["data"] if row["currency"] == currency]
    return {field: row[field] for field in row if field not in ("object", "currency")}


def check(api, **expected):
    """Compares the balance with the expected parts; parts that are not given must be 0."""
    found = balance(api)
    assert found == dict.fromkeys(found, 0) | expected


def test_a_new_merchant_has_no_balance(fresh):
    assert fresh.api.get("/v1/balance")["data"] == []


def test_the_parts_add_up_to_receipts_minus_refunds_and_fees(fresh):
    fresh.operator.put("/v1/fees/sandbox", {"basis_points": 100, "fixed": 0, "refundable": True})
    order = fresh.check_end(fresh.order_paid_by("sandbox", "refund_unknown", amount=8000), "succeeded")
    check(fresh.api, available=8000 - 80)
    refund = fresh.api.create_refund(order["payments"][0]["id"], amount=3000)
    parts = balance(fresh.api)  # the refund may have ended: then its part of the fee is returned
    assert (parts["available"], parts["refunds_in_transit"]) in [(5000 - 80, 3000), (5000 - 80 + 30, 0)]
    assert fresh.api.refund_when_final(refund["id"])["state"] == "succeeded"
    check(fresh.api, available=5000 - 80 + 30)


def test_currencies_are_separate(fresh):
    for currency, amount in [("USD", 700), ("CNY", 8000)]:
        fresh.check_end(fresh.order_paid_by("sandbox", "pays", amount=amount, currency=currency), "succeeded")
    assert balance(fresh.api, "CNY")["available"] == 8000 and balance(fresh.api, "USD")["available"] == 700


def test_wallet_payments_are_not_money_of_the_platform(bank):
    payer = bank.open(overdraft=5000)
    before = bank.api.get("/v1/balance")
    order = bank.api.create_order(amount=2000, payment={"channel": "wallet", "account": payer["id"]})
    assert order["state"] == "succeeded"
    assert bank.api.get("/v1/balance") == before


def test_money_in_suspense_is_not_available(fresh):
    fresh.api.order_when_at_rest(fresh.order_paid_by("sandbox", "wrong_amount", amount=8000, attempts=1)["id"])
    assert all(row["available"] == 0 for row in fresh.api.get("/v1/balance")["data"])


def test_a_query_is_refused(fresh):
    assert fresh.api.get("/v1/balance?currency=CNY", expect=400)["code"] == "invalid_request"

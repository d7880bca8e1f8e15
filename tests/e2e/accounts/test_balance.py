"""The merchant's balance at the platform: what remains of its receipts after refunds and fees."""

import pytest


@pytest.fixture
def shop(new_shop):
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


def test_a_new_merchant_has_no_balance(shop):
    assert shop.api.get("/v1/balance")["data"] == []


def test_the_parts_add_up_to_receipts_minus_refunds_and_fees(shop):
    shop.operator.put("/v1/fees/sandbox", {"basis_points": 100, "fixed": 0, "refundable": True})
    order = shop.check_end(shop.order_paid_by("sandbox", "refund_unknown", amount=8000), "succeeded")
    check(shop.api, available=8000 - 80)
    refund = shop.api.create_refund(order["payments"][0]["id"], amount=3000)
    if refund["state"] in ("pending", "processing"):
        check(shop.api, available=5000 - 80, refunds_in_transit=3000)
    assert shop.api.refund_when_final(refund["id"])["state"] == "succeeded"
    check(shop.api, available=5000 - 80 + 30)


def test_currencies_are_separate(shop):
    for currency, amount in [("USD", 700), ("CNY", 8000)]:
        shop.check_end(shop.order_paid_by("sandbox", "pays", amount=amount, currency=currency), "succeeded")
    assert balance(shop.api, "CNY")["available"] == 8000 and balance(shop.api, "USD")["available"] == 700


def test_wallet_payments_are_not_money_of_the_platform(bank):
    payer = bank.open(overdraft=5000)
    before = bank.api.get("/v1/balance")
    order = bank.api.create_order(amount=2000, payment={"channel": "wallet", "account": payer["id"]})
    assert order["state"] == "succeeded"
    assert bank.api.get("/v1/balance") == before


def test_money_in_suspense_is_not_available(shop):
    shop.api.order_when_final(shop.order_paid_by("sandbox", "wrong_amount", amount=8000, attempts=1)["id"])
    assert all(row["available"] == 0 for row in shop.api.get("/v1/balance")["data"])


def test_a_query_is_refused(shop):
    assert shop.api.get("/v1/balance?currency=CNY", expect=400)["code"] == "invalid_request"

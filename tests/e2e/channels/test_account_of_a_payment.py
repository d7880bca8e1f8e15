"""Visibility of channel accounts, and the channel account that receipts, refunds and channel requests of a payment
use."""

from wait import until


def by_channel(api):
    return {row["channel"]: row for row in api.get("/v1/channel_accounts?limit=100")["data"]}


def to_merchant(account):
    """Returns the account without the fields for operators."""
    shown = {name: value for name, value in account.items() if name != "merchants"}
    settings = {name: value for name, value in account["settings"].items() if name != "bank_account"}
    return shown | {"settings": settings}


def test_operators_and_merchants_can_list_channel_accounts(shop, admin):
    accounts = by_channel(admin)
    assert accounts["wallet"]["funds"] == "internal"
    assert accounts["sandbox"]["funds"] == "platform"
    assert all(row["state"] == "enabled" and row["version"] >= 1 for row in accounts.values())
    own = {name: to_merchant(row) for name, row in accounts.items() if row["kind"] != "bank"}
    assert by_channel(shop.api) == own
    assert shop.api.get(f"/v1/channel_accounts/{own['sandbox']['id']}") == own["sandbox"]
    first = admin.get("/v1/channel_accounts?limit=1")
    assert first["has_more"] and len(first["data"]) == 1


def test_an_unknown_channel_account_is_not_found(shop):
    for wrong in ["cha_0000000000000", "pay_0000000000001", "sandbox"]:
        assert shop.api.get(f"/v1/channel_accounts/{wrong}", expect=404)["code"] == "not_found"


def test_receipts_refunds_and_requests_use_the_payments_channel_account(shop):
    account = by_channel(shop.api)["sandbox"]["id"]
    order = shop.api.create_order(payment={"channel": "sandbox", "scenario": "pays"})
    order = shop.api.order_when_final(order["id"])
    assert order["state"] == "succeeded"
    [payment] = order["payments"]
    payment = shop.api.get(f"/v1/payments/{payment['id']}")
    refund = shop.api.post("/v1/refunds", {"payment": payment["id"], "amount": 1, "merchant_refund_no": order["id"]},
                           expect=201)
    assert {payment["channel_account"], refund["channel_account"]} == {account}
    assert [receipt["channel_account"] for receipt in payment["receipts"]] == [account]
    until(lambda: shop.api.get(f"/v1/refunds/{refund['id']}")["state"] == "succeeded", "the refund has succeeded")
    items = shop.api.get(f"/v1/orders/{order['id']}/timeline?limit=1000")["data"]
    requests = [item["detail"] for item in items if item["kind"] == "request"]
    assert requests and all(detail["channel_account"] == account for detail in requests)

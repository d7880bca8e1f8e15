"""Notifications without a valid signature of the channel are refused and change nothing."""

import json
import re
import time

import pytest

COUNTER = re.compile(r'^finality_notifications_refused_total\{[^}]*reason="unverified"[^}]*\} (\S+)$', re.MULTILINE)


def refused_so_far(shop):
    text = shop.api.current_metrics()
    return sum(float(value) for value in COUNTER.findall(text))


def claim_of_payment(payment):
    """Returns the body of a notification that reports the payment as paid."""
    trade = {"trade_no": payment["channel_trade_no"], "out_trade_no": payment["out_trade_no"],
             "channel": payment["channel"], "state": "paid", "amount": payment["amount"],
             "currency": payment["currency"], "paid": payment["amount"], "refunded": 0,
             "paid_at": "2026-01-31T12:00:00.000Z"}
    return json.dumps({"trade": trade}).encode()


def forgeries(payment):
    body = claim_of_payment(payment)
    now = str(int(time.time()))
    signature = "0" * 64
    yield "no signature", body, {}
    yield "no timestamp", body, {"Sandbox-Signature": signature}
    yield "empty signature", body, {"Sandbox-Signature": "", "Sandbox-Timestamp": now}
    yield "wrong signature", body, {"Sandbox-Signature": signature, "Sandbox-Timestamp": now}
    yield "short signature", body, {"Sandbox-Signature": "00", "Sandbox-Timestamp": now}
    yield "signature that is no hex", body, {"Sandbox-Signature": "z" * 64, "Sandbox-Timestamp": now}
    yield "old timestamp", body, {"Sandbox-Signature": signature, "Sandbox-Timestamp": "1"}
    yield "timestamp that is no number", body, {"Sandbox-Signature": signature, "Sandbox-Timestamp": "now"}
    yield "no JSON", b"paid!", {"Sandbox-Signature": signature, "Sandbox-Timestamp": now}
    yield "empty body", b"", {"Sandbox-Signature": signature, "Sandbox-Timestamp": now}


@pytest.mark.parametrize("path", ["/notify/sandbox", "/notify/sandbox/{merchant}"])
def test_a_forged_notification_changes_nothing(shop, path):
    order = shop.order_paid_by("sandbox", "manual")
    [payment] = order["payments"]
    before = refused_so_far(shop)
    events = shop.api.all("/v1/events", object=payment["id"])

    count = 0
    for what, body, headers in forgeries(payment):
        response = shop.api.request("POST", path.format(merchant=shop.id), data=body, headers=headers)
        assert response.status_code >= 400, f"{what} was accepted"
        assert response.content != b"success", what
        count += 1

    assert refused_so_far(shop) == before + count
    assert shop.api.order(order["id"]) == order
    assert shop.api.all("/v1/events", object=payment["id"]) == events
    assert shop.received.deliveries(shop.path, order["id"]) == []

    shop.sandbox.pay(payment)
    shop.check_end(order, "succeeded")


def test_an_unknown_channel_is_not_found(shop):
    assert shop.api.request("POST", "/notify/unknown", data=b"{}").status_code == 404


def test_a_notification_is_not_a_page(shop):
    assert shop.api.request("GET", "/notify/sandbox").status_code == 405

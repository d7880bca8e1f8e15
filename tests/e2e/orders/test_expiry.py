"""Expiry: the server deletes idempotency records after a day and finished deliveries after a month."""

import re
import uuid

import pytest

from conftest import FAST
from merchant_server import Answer
from shop import Shop
from store_sql import age, order_ids
from wait import until

OLD_HOURS = 31 * 24


def metric(shop, name):
    text = shop.api.request("GET", "/metrics").text
    return float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE)[1])


@pytest.fixture(scope="module")
def module_server(start_server):
    server = start_server("expiry", FAST)
    yield server
    server.stop()
    server.verify()


@pytest.fixture(scope="module")
def shop(contract, module_server, merchant_server):
    return Shop.of_demo(contract, module_server, merchant_server)


def delivered_order(shop, number, key):
    """Creates an order with that Idempotency-Key, and returns the order when it is paid and its webhook is
    delivered."""
    body = {"merchant_order_no": number, "amount": 100, "currency": "CNY", "subject": "Tea",
            "notify_url": shop.notify_url, "payment": {"channel": "sandbox", "scenario": "pays"}}
    order = shop.api.post("/v1/orders", body, expect=201, headers={"Idempotency-Key": key})
    shop.api.order_when_final(order["id"])
    until(lambda: all(one["state"] == "delivered" for one in deliveries_of(shop, order)) and deliveries_of(shop, order),
          "the webhook is delivered")
    return order


def deliveries_of(shop, order):
    return shop.api.all("/v1/webhook_deliveries", order=order["id"])


def repeat(shop, key, expect):
    """Creates another order with an Idempotency-Key that was used before. The server refuses it only while it stores
    the key."""
    body = {"merchant_order_no": uuid.uuid4().hex, "amount": 5, "currency": "CNY", "subject": "Another"}
    return shop.api.post("/v1/orders", body, expect=expect, headers={"Idempotency-Key": key})


def test_old_records_are_deleted_and_recent_and_pending_ones_are_kept(shop, module_server):
    old, young = delivered_order(shop, "exp-old", "key-old"), delivered_order(shop, "exp-young", "key-young")
    shop.received.answer_next(shop.path, *[Answer(status=500)] * 50)
    waiting = shop.order_paid_by("sandbox", "pays", merchant_order_no="exp-waiting")
    shop.api.order_when_final(waiting["id"])
    until(lambda: deliveries_of(shop, waiting), "a delivery is pending")
    repeat(shop, "key-old", 422)

    module_server.stop()
    module_server.verify()
    age(module_server.store, OLD_HOURS, order_ids(module_server.store, "exp-old", "exp-waiting"))
    module_server.verify()
    module_server.start()

    until(lambda: metric(shop, "finality_deliveries_expired_total") >= 1, "the old delivery is deleted")
    until(lambda: metric(shop, "finality_idempotency_records_expired_total") >= 1, "the old record is deleted")
    assert metric(shop, "finality_expiry_failures_total") == 0
    assert deliveries_of(shop, old) == []
    assert [one["state"] for one in deliveries_of(shop, waiting)] == ["pending"]
    assert [one["state"] for one in deliveries_of(shop, young)] == ["delivered"]

    made = repeat(shop, "key-old", 201)
    assert made["subject"] == "Another"
    assert repeat(shop, "key-old", 422)["code"] == "idempotency_key_reused", "the key is stored again"
    assert repeat(shop, "key-young", 422)["code"] == "idempotency_key_reused"
    assert shop.api.order(old["id"])["state"] == "succeeded"
    assert shop.api.timeline(old["id"])

"""Webhook endpoints and deliveries. The server runs a hundred times faster: the first retry comes after 2.4 s."""

import threading

import pytest

from merchant_server import Answer
from wait import until


@pytest.fixture
def shop(new_shop):
    return new_shop()


@pytest.fixture
def endpoint(shop, merchant_server):
    """Creates endpoints at paths of the merchant's server."""

    def create(path, **fields):
        path = f"/{shop.id}{path}"
        made = shop.api.post("/v1/webhook_endpoints", {"url": merchant_server.address(path)} | fields, expect=201)
        merchant_server.set_secret(path, made["secret"])
        return made | {"path": path}

    return create


def deliveries_of(shop, order, **expected):
    """The order's deliveries as soon as none is pending."""

    def settled():
        found = shop.api.all("/v1/webhook_deliveries", order=order["id"])
        return found if found and all(each["state"] != "pending" for each in found) else None

    found = until(settled, f"the deliveries of {order['id']} are through", timeout=20)
    for name, value in expected.items():
        assert [each[name] for each in found] == [value] * len(found), found
    return found


def test_the_life_of_an_endpoint(shop):
    fields = {"url": "https://shop.example/webhooks", "types": ["order.succeeded", "order.closed"],
              "acknowledge": "success_body"}
    made = shop.api.post("/v1/webhook_endpoints", fields, expect=201)
    assert {name: made[name] for name in fields} == fields
    assert made["state"] == "enabled" and made["version"] == 1
    shown = {name: value for name, value in made.items() if name != "secret"}
    path = f"/v1/webhook_endpoints/{made['id']}"
    assert shop.api.get(path) == shown

    other = shop.api.post("/v1/webhook_endpoints", {"url": "https://shop.example/other"}, expect=201)
    assert other["types"] == [] and other["acknowledge"] == "status" and other["secret"] != made["secret"]
    listed = shop.api.get("/v1/webhook_endpoints")
    assert [each["id"] for each in listed["data"]] == [other["id"], made["id"]] and not listed["has_more"]

    rotated = shop.api.post(path + "/rotate")
    assert rotated["secret"] != made["secret"] and rotated["version"] == 2
    assert shop.api.get(path)["version"] == 2

    assert shop.api.delete(path)["deleted"] is True
    shop.api.get(path, expect=404)
    shop.api.post(path + "/rotate", expect=404)
    shop.api.delete(path, expect=404)
    assert [each["id"] for each in shop.api.get("/v1/webhook_endpoints")["data"]] == [other["id"]]


def test_an_endpoint_gets_the_types_it_wants(shop, endpoint, merchant_server):
    paid_only = endpoint("/paid", types=["order.succeeded"])
    closed_only = endpoint("/closed", types=["order.closed", "order.failed"])
    everything = endpoint("/everything")
    paid = shop.order_paid_by("sandbox", "pays")
    closed = shop.order()
    shop.api.close(closed["id"])
    shop.api.order_when_final(paid["id"])

    assert len(deliveries_of(shop, paid, state="delivered")) == 3
    assert len(deliveries_of(shop, closed, state="delivered")) == 3
    assert [each.object_id for each in merchant_server.deliveries(paid_only["path"])] == [paid["id"]]
    assert [each.object_id for each in merchant_server.deliveries(closed_only["path"])] == [closed["id"]]
    assert {each.object_id for each in merchant_server.deliveries(everything["path"])} == {paid["id"], closed["id"]}
    assert {each.object_id for each in merchant_server.deliveries(shop.path)} == {paid["id"], closed["id"]}


def test_a_notify_url_is_signed_with_the_merchants_secret(shop):
    order = shop.order_paid_by("sandbox", "pays")
    delivery = shop.wait_for_notification(order)
    assert delivery.verified and delivery.signed_with(shop.webhook_secret)
    assert delivery.json["type"] == "order.succeeded" and delivery.json["data"]["id"] == order["id"]


def test_a_failed_delivery_comes_again_with_the_same_id(shop, endpoint, merchant_server):
    made = endpoint("/fails")
    merchant_server.answer_next(made["path"], Answer(500))
    order = shop.api.create_order()
    shop.api.close(order["id"])
    merchant_server.wait_for(made["path"], order["id"])

    def noted():
        [one] = shop.api.all("/v1/webhook_deliveries", order=order["id"])
        return one if one["attempts"] == 1 else None

    pending = until(noted, "the failure is recorded", timeout=2)
    assert pending["state"] == "pending" and pending["last_status"] == 500 and pending["due_at"]
    assert pending["endpoint"] == made["id"]

    first, second = merchant_server.wait_for(made["path"], order["id"], count=2)
    assert first.id == second.id and first.body == second.body
    [delivered] = deliveries_of(shop, order, state="delivered", attempts=2, last_status=200)
    assert delivered["id"] == first.id and "due_at" not in delivered


def test_success_body_wants_the_word(shop, endpoint, merchant_server):
    made = endpoint("/word", acknowledge="success_body")
    merchant_server.answer_next(made["path"], Answer(200, b"ok"), Answer(200, b"success"))
    order = shop.api.create_order()
    shop.api.close(order["id"])
    merchant_server.wait_for(made["path"], order["id"], count=2)
    deliveries_of(shop, order, state="delivered", attempts=2)


def test_a_slow_receiver_holds_up_nobody(shop, endpoint, merchant_server):
    made = endpoint("/slow")
    go_on = threading.Event()
    merchant_server.answer_next(made["path"], Answer(200, wait=go_on))
    try:
        order = shop.order()
        shop.api.close(order["id"])
        merchant_server.wait_for(made["path"], order["id"])
        shop.wait_for_notification(order)
        other = shop.order_paid_by("sandbox", "pays")
        shop.wait_for_notification(other)
    finally:
        go_on.set()
    deliveries_of(shop, order, state="delivered")


def test_resending_by_hand(shop, endpoint, merchant_server):
    made = endpoint("/again")
    order = shop.api.create_order()
    shop.api.close(order["id"])
    [delivery] = deliveries_of(shop, order, state="delivered", attempts=1)
    resent = shop.api.post(f"/v1/webhook_deliveries/{delivery['id']}/resend")
    assert resent["id"] == delivery["id"]
    first, second = merchant_server.wait_for(made["path"], order["id"], count=2)
    assert first.id == second.id == delivery["id"] and first.body == second.body
    until(lambda: deliveries_of(shop, order, state="delivered")[0]["attempts"] == 2, "the attempt is recorded")


def test_a_rotated_secret_signs_beside_the_old_one(shop, endpoint, merchant_server):
    made = endpoint("/rotated")
    rotated = shop.api.post(f"/v1/webhook_endpoints/{made['id']}/rotate")
    order = shop.api.create_order()
    shop.api.close(order["id"])
    [delivery] = merchant_server.wait_for(made["path"], order["id"])
    assert delivery.signed_with(made["secret"]) and delivery.signed_with(rotated["secret"])
    assert len(delivery.signatures) == 2


def test_a_deleted_endpoint_hears_nothing_more(shop, endpoint, merchant_server):
    gone, kept = endpoint("/gone"), endpoint("/kept")
    shop.api.delete(f"/v1/webhook_endpoints/{gone['id']}")
    order = shop.api.create_order()
    shop.api.close(order["id"])
    merchant_server.wait_for(kept["path"], order["id"])
    [delivery] = deliveries_of(shop, order, state="delivered")
    assert delivery["endpoint"] == kept["id"]
    assert merchant_server.deliveries(gone["path"]) == []


def test_410_disables_an_endpoint(shop, endpoint, merchant_server):
    made = endpoint("/410")
    merchant_server.answer_next(made["path"], Answer(410))
    order = shop.api.create_order()
    shop.api.close(order["id"])
    merchant_server.wait_for(made["path"], order["id"])
    path = f"/v1/webhook_endpoints/{made['id']}"
    until(lambda: shop.api.get(path)["state"] == "disabled", "the endpoint is disabled")


def test_deliveries_are_listed_newest_first(shop):
    orders = [shop.order() for _ in range(3)]
    for order in orders:
        shop.api.close(order["id"])
        deliveries_of(shop, order, state="delivered")
    listed = shop.api.get("/v1/webhook_deliveries")
    assert [each["order"] for each in listed["data"]] == [order["id"] for order in reversed(orders)]
    first = shop.api.get("/v1/webhook_deliveries", params={"limit": 2})
    rest = shop.api.get("/v1/webhook_deliveries", params={"limit": 2, "starting_after": first["data"][-1]["id"]})
    assert first["has_more"] and not rest["has_more"] and first["data"] + rest["data"] == listed["data"]

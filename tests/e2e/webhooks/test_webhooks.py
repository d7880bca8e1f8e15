"""Webhook endpoints and deliveries. The time scale is 100, so the pause of 4 minutes before the first retry takes 2.4
s."""

import datetime
import email.utils
import threading

import pytest

from api import Api
from merchant_server import Answer
from shop import Shop
from wait import until

PAUSE = datetime.timedelta(minutes=4) / 100  # pause before the second attempt, scaled by 100
PAUSES_S = [240, 600, 600, 3600, 7200, 21600, 54000]
HASTE = 20_000  # time scale: the retry schedule takes 4.5 s


@pytest.fixture
def shop(new_shop):
    return new_shop()


@pytest.fixture
def endpoint(shop, merchant_server):
    """Returns a function that creates a webhook endpoint for a path of the merchant's server."""

    def create(path, **fields):
        path = f"/{shop.id}{path}"
        made = shop.api.post("/v1/webhook_endpoints", {"url": merchant_server.address(path)} | fields, expect=201)
        merchant_server.set_secret(path, made["secret"])
        return made | {"path": path}

    return create


def deliveries_of(shop, order, to=None, **expected):
    """Waits until no delivery of the order is pending. Returns its deliveries, or only the delivery to the endpoint
    `to`."""

    def settled():
        found = shop.api.all("/v1/webhook_deliveries", order=order["id"])
        return found if found and all(each["state"] != "pending" for each in found) else None

    found = until(settled, f"the deliveries of {order['id']} are final", timeout=20)
    found = [each for each in found if to is None or each.get("endpoint") == to]
    for name, value in expected.items():
        assert [each[name] for each in found] == [value] * len(found), found
    return found


def test_the_trace_of_a_request_is_propagated(shop):
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    order = shop.order()
    shop.api.post(f"/v1/orders/{order['id']}/close", {}, headers={"traceparent": trace})
    assert shop.wait_for_notification(order).traceparent == trace
    causes = [event["cause"] for event in shop.api.all("/v1/events", object=order["id"]) if event["to"] == "closed"]
    assert [cause["traceparent"] for cause in causes] == [trace]
    order = shop.order()
    shop.api.post(f"/v1/orders/{order['id']}/close", {}, headers={"traceparent": trace.upper()})
    assert shop.wait_for_notification(order).traceparent is None, "an invalid traceparent is ignored"


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


def test_an_endpoint_receives_only_its_types(shop, endpoint, merchant_server):
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


def test_a_failed_delivery_is_retried_with_the_same_id(shop, endpoint, merchant_server):
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


def test_success_body_requires_the_word(shop, endpoint, merchant_server):
    made = endpoint("/word", acknowledge="success_body")
    merchant_server.answer_next(made["path"], Answer(200, b"ok"), Answer(200, b"success"))
    order = shop.api.create_order()
    shop.api.close(order["id"])
    merchant_server.wait_for(made["path"], order["id"], count=2)
    deliveries_of(shop, order, state="delivered", attempts=2)


def test_a_slow_receiver_delays_no_other_delivery(shop, endpoint, merchant_server):
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


def test_resending_on_request(shop, endpoint, merchant_server):
    made = endpoint("/again")
    order = shop.api.create_order()
    shop.api.close(order["id"])
    [delivery] = deliveries_of(shop, order, state="delivered", attempts=1)
    assert shop.api.get(f"/v1/webhook_deliveries/{delivery['id']}") == delivery
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


def test_a_deleted_endpoint_receives_nothing(shop, endpoint, merchant_server):
    gone, kept = endpoint("/gone"), endpoint("/kept")
    shop.api.delete(f"/v1/webhook_endpoints/{gone['id']}")
    order = shop.api.create_order()
    shop.api.close(order["id"])
    merchant_server.wait_for(kept["path"], order["id"])
    [delivery] = deliveries_of(shop, order, state="delivered")
    assert delivery["endpoint"] == kept["id"]
    assert merchant_server.deliveries(gone["path"]) == []


def test_410_disables_an_endpoint(shop, endpoint, merchant_server):
    made, other = endpoint("/410"), endpoint("/stays")
    merchant_server.answer_next(made["path"], Answer(410))
    order = shop.api.create_order()
    shop.api.close(order["id"])
    settled = {each["endpoint"]: each for each in deliveries_of(shop, order, attempts=1)}
    assert settled[other["id"]]["state"] == "delivered"
    gone = settled[made["id"]]
    assert gone["state"] == "exhausted" and gone["last_status"] == 410 and "due_at" not in gone
    assert shop.api.get(f"/v1/webhook_endpoints/{made['id']}")["state"] == "disabled"
    assert shop.api.get(f"/v1/webhook_endpoints/{other['id']}")["state"] == "enabled"

    later = shop.api.create_order()
    shop.api.close(later["id"])
    [delivery] = deliveries_of(shop, later, state="delivered")
    assert delivery["endpoint"] == other["id"]
    assert [each.object_id for each in merchant_server.deliveries(made["path"])] == [order["id"]]


def test_410_ends_the_delivery_to_a_notify_url(shop, merchant_server):
    merchant_server.answer_next(shop.path, Answer(410))
    order = shop.order()
    shop.api.close(order["id"])
    [delivery] = deliveries_of(shop, order, state="exhausted", attempts=1, last_status=410)
    assert "endpoint" not in delivery
    later = shop.order()
    shop.api.close(later["id"])
    deliveries_of(shop, later, state="delivered")


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def attempts_at(api, delivery):
    """Returns the times of the delivery's recorded attempts, oldest first."""
    events = reversed(api.all("/v1/events", object=delivery["id"]))
    return [instant(event["at"]) for event in events if "attempt" in event["cause"]]


def asked_to_wait(shop, endpoint, merchant_server, status, retry_after):
    """Creates an endpoint that responds once with this status and `Retry-After`. Returns the endpoint, and its delivery
    after this response was recorded."""
    made = endpoint(f"/busy{len(merchant_server.deliveries())}")
    merchant_server.answer_next(made["path"], Answer(status, headers=(("Retry-After", retry_after),)))
    order = shop.api.create_order()
    shop.api.close(order["id"])

    def recorded():
        found = shop.api.all("/v1/webhook_deliveries", order=order["id"])
        return found[0] if found and found[0]["attempts"] == 1 else None

    return made, until(recorded, "the response is recorded", timeout=2)


@pytest.mark.parametrize("status, retry_after, pause", [
    (503, "5", datetime.timedelta(seconds=5)), (429, "3600", datetime.timedelta(hours=1)),
    (500, "86400", datetime.timedelta(days=1)), (503, "86401", datetime.timedelta(days=1)),
    (503, "9" * 40, datetime.timedelta(days=1)), (302, "7", datetime.timedelta(seconds=7)),
    (503, "0", PAUSE), (503, "2", PAUSE), (503, "-5", PAUSE), (503, "5.5", PAUSE), (503, "soon", PAUSE),
    (503, "", PAUSE), (503, "Sun, 06 Nov 1994 08:49:37 GMT", PAUSE),
])
def test_retry_after_makes_the_pause_longer_and_never_shorter(shop, endpoint, merchant_server, status, retry_after,
                                                              pause):
    _, delivery = asked_to_wait(shop, endpoint, merchant_server, status, retry_after)
    assert delivery["state"] == "pending" and delivery["last_status"] == status
    [recorded] = attempts_at(shop.api, delivery)
    assert instant(delivery["due_at"]) - recorded == pause


def test_retry_after_may_be_a_date(shop, endpoint, merchant_server):
    date = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + datetime.timedelta(hours=2)
    _, delivery = asked_to_wait(shop, endpoint, merchant_server, 503, email.utils.format_datetime(date, usegmt=True))
    assert date <= instant(delivery["due_at"]) < date + datetime.timedelta(minutes=1)


def test_nothing_is_sent_before_retry_after_has_passed(shop, endpoint, merchant_server):
    made, delivery = asked_to_wait(shop, endpoint, merchant_server, 503, "4")
    first, second = merchant_server.wait_for(made["path"], count=2)
    assert first.id == second.id == delivery["id"]
    assert int(second.timestamp) - int(first.timestamp) >= 4
    [order] = {each["order"] for each in shop.api.all("/v1/webhook_deliveries") if each["id"] == delivery["id"]}
    deliveries_of(shop, {"id": order}, state="delivered", attempts=2)


@pytest.fixture(scope="module")
def hasty(start_server):
    """A server with time scale 20,000, so that a whole retry schedule takes seconds."""
    server = start_server("hasty", HASTE)
    yield server
    server.stop()
    server.verify()


@pytest.fixture(scope="module")
def hasty_shop(contract, hasty, merchant_server):
    return Shop.of_demo(contract, hasty, merchant_server)


@pytest.fixture(scope="module")
def operators(contract, hasty, hasty_shop):
    """Returns {role: API client}. Each client has an operator's key of this role and acts for the shop."""
    demo = hasty.demo
    return {role: Api(contract, demo["base_url"], key, hasty_shop.id) for role, key in demo["operators"].items()}


@pytest.fixture(scope="module")
def exhausted(hasty_shop, merchant_server):
    """Deliveries whose attempts all failed. The endpoint returns 200 from now on."""
    api, count, path = hasty_shop.api, 4, f"/{hasty_shop.id}/fails"
    watcher = api.post("/v1/webhook_endpoints", {"url": merchant_server.address(f"/{hasty_shop.id}/watcher"),
                                                 "types": ["case.opened"]}, expect=201)
    merchant_server.set_secret(f"/{hasty_shop.id}/watcher", watcher["secret"])
    made = api.post("/v1/webhook_endpoints", {"url": merchant_server.address(path), "types": ["order.closed"]},
                    expect=201)
    merchant_server.set_secret(path, made["secret"])
    merchant_server.answer_next(path, *[Answer(500)] * (count * (len(PAUSES_S) + 1)))
    orders = [api.create_order() for _ in range(count)]
    for order in orders:
        api.close(order["id"])
    return [deliveries_of(hasty_shop, order, to=made["id"])[0] for order in orders]


def case_of(operators, delivery):
    [found] = [case for case in operators["operator"].all("/v1/cases") if case["object_id"] == delivery["id"]]
    return found


def decide(operators, case, resolution):
    """Proposes the resolution as one operator and approves it as another. Returns the case."""
    path = f"/v1/cases/{case['id']}"
    operators["operator"].post(f"{path}/propose", {"resolution": resolution, "note": "requested by the merchant"})
    return operators["approver"].approve(path)


def test_the_complete_schedule_of_attempts(hasty_shop, exhausted, merchant_server):
    for delivery in exhausted:
        assert delivery["state"] == "exhausted" and delivery["attempts"] == len(PAUSES_S) + 1
        assert delivery["last_status"] == 500 and "due_at" not in delivery and "delivered_at" not in delivery
        at = attempts_at(hasty_shop.api, delivery)
        gaps = [(later - earlier).total_seconds() for earlier, later in zip(at, at[1:])]
        assert len(gaps) == len(PAUSES_S)
        assert all(gap >= pause / HASTE for gap, pause in zip(gaps, PAUSES_S)), gaps
        received = [each for each in merchant_server.deliveries() if each.id == delivery["id"]]
        assert len(received) == len(at) and len({each.body for each in received}) == 1
        assert all(each.verified for each in received)


def test_an_exhausted_delivery_has_a_case(operators, exhausted):
    for delivery in exhausted:
        case = case_of(operators, delivery)
        assert case["kind"] == "delivery_exhausted" and case["state"] == "open"
        assert sorted(case["resolutions"]) == ["give_up", "resend"]
        assert case["evidence"][0] == {"attempt": 8, "status": 500, "error": "status 500"}


def test_other_endpoints_are_notified_of_an_exhausted_delivery(hasty_shop, operators, exhausted, merchant_server):
    [webhook] = merchant_server.wait_for(f"/{hasty_shop.id}/watcher", case_of(operators, exhausted[0])["id"], timeout=3)
    assert webhook.json["type"] == "case.opened" and webhook.json["data"]["object_id"] == exhausted[0]["id"]


def test_a_metric_counts_exhausted_deliveries(hasty_shop, exhausted):
    def counted():
        lines = hasty_shop.api.request("GET", "/metrics").text.splitlines()
        counts = [line for line in lines if line.startswith('finality_cases_opened_total{kind="delivery_exhausted"}')]
        return counts and float(counts[0].split()[1]) >= len(exhausted)

    until(counted, "the exhausted deliveries are counted", timeout=3)


def test_the_log_names_an_exhausted_delivery(hasty, exhausted):
    log = hasty.log.read_text(encoding="utf-8")
    assert all(delivery["id"] in log for delivery in exhausted)


def test_operators_resend_an_exhausted_delivery(hasty_shop, operators, exhausted, merchant_server):
    delivery = exhausted[0]
    assert decide(operators, case_of(operators, delivery), "resend")["state"] == "resolved"
    [delivered] = deliveries_of(hasty_shop, {"id": delivery["order"]}, to=delivery["endpoint"], state="delivered", attempts=9)
    assert delivered["id"] == delivery["id"] and delivered["delivered_at"]
    received = [each for each in merchant_server.deliveries() if each.id == delivery["id"]]
    assert len(received) == 9 and len({each.body for each in received}) == 1


def test_operators_give_up_a_delivery(hasty_shop, operators, exhausted):
    delivery = exhausted[1]
    assert decide(operators, case_of(operators, delivery), "give_up")["state"] == "resolved"
    deliveries_of(hasty_shop, {"id": delivery["order"]}, to=delivery["endpoint"], state="given_up", attempts=8)
    problem = hasty_shop.api.post(f"/v1/webhook_deliveries/{delivery['id']}/resend", expect=409)
    assert problem["code"] == "illegal_transition"


def test_a_merchant_resends_an_exhausted_delivery(hasty_shop, exhausted):
    delivery = exhausted[2]
    hasty_shop.api.post(f"/v1/webhook_deliveries/{delivery['id']}/resend")
    deliveries_of(hasty_shop, {"id": delivery["order"]}, to=delivery["endpoint"], state="delivered", attempts=9)


def test_a_failed_resend_exhausts_the_delivery_again(hasty_shop, operators, exhausted, merchant_server):
    delivery = exhausted[3]
    merchant_server.answer_next(f"/{hasty_shop.id}/fails", Answer(502))
    hasty_shop.api.post(f"/v1/webhook_deliveries/{delivery['id']}/resend")

    def failed_again():
        now = hasty_shop.api.get(f"/v1/webhook_deliveries?order={delivery['order']}")["data"]
        return next((each for each in now if each["id"] == delivery["id"] and each["attempts"] == 9), None)

    now = until(failed_again, "the ninth attempt is recorded")
    assert now["state"] == "exhausted" and now["last_status"] == 502
    case = case_of(operators, delivery)
    assert case["state"] == "open" and [each["attempt"] for each in case["evidence"]] == [8, 9]


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

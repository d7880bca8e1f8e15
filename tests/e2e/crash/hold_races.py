"""Races about one authorization: a capture at one node, and another request at the other node or the deadline of
captures. Each race has one outcome, whose amounts equal the sandbox's ledger to the cent."""

import collections
import collections.abc
import concurrent.futures
import dataclasses
import datetime
import threading
import uuid

from authorizations import AMOUNT, HALF, OVER, check_hold_money, is_nothing_held, manual_order, wait_until_held
from crash_stories import CHANNELS
from patient_client import PatientClient
from scenarios import ASK, LOCAL
from shop import sums_by_kind
from wait import until

END_S = 40.0
STEP = datetime.timedelta(milliseconds=5)  # between the captures of two races against the deadline
SCENARIOS = ["authorizes", "authorizes", "capture_unknown"]  # of every third race, the capture has no reply at first


def release(client, order, hold):
    return client.repeat(f"/v1/authorizations/{hold['id']}/release", {}, str(uuid.uuid4()))


def close(client, order, hold):
    return client.repeat(f"/v1/orders/{order['id']}/close", None, str(uuid.uuid4()))


def capture(client, order, hold, number=None, **fields):
    body = {"merchant_capture_no": number or uuid.uuid4().hex} | fields
    return client.repeat(f"/v1/authorizations/{hold['id']}/captures", body, str(uuid.uuid4()))


WHOLE = ("succeeded", "captured", "captured", AMOUNT)


@dataclasses.dataclass(frozen=True)
class Race:
    """A capture and its rival. A result consists of the state of the order, the state and end_reason of the
    authorization, and the captured amount."""

    name: str
    lost: tuple                             # the result if the capture is refused
    won: tuple = WHOLE                      # the result if the capture is accepted
    rival: collections.abc.Callable = None  # request at the other node; None: the deadline of captures
    beaten: tuple = (None,)                 # codes of the rival's response if the capture is accepted; None: success
    capture: dict = dataclasses.field(default_factory=dict)  # fields of the capture
    fields: dict = dataclasses.field(default_factory=dict)   # fields of the order


CLOSED, PART = ("closed", "released"), ("succeeded", "captured")
HALF_CAPTURED = {"amount": HALF, "final": False}
DEADLINE = {"capture_within": 3}
RACES = [
    Race("release", (*CLOSED, "requested", 0), rival=release),
    Race("release-of-the-rest", (*CLOSED, "requested", 0), (*PART, "requested", HALF), release, capture=HALF_CAPTURED),
    Race("close", (*CLOSED, "order_closed", 0), rival=close, beaten=(None, "order_succeeded"), fields=ASK),
    Race("close-locally", (*CLOSED, "order_closed", 0), rival=close, beaten=(None, "order_succeeded"), fields=LOCAL),
    Race("close-of-the-rest", (*CLOSED, "order_closed", 0), (*PART, "order_closed", HALF), close,
         beaten=(None, "order_succeeded"), capture=HALF_CAPTURED),
    Race("capture", WHOLE, rival=capture, beaten=("authorization_not_capturable",)),
    Race("deadline-releases", (*CLOSED, "expired", 0), fields=DEADLINE),
    Race("deadline-releases-the-rest", (*CLOSED, "expired", 0), (*PART, "expired", HALF), capture=HALF_CAPTURED,
         fields=DEADLINE),
    Race("deadline-captures", WHOLE, fields=DEADLINE | {"on_capture_deadline": "capture"}),
]


def play(shop, race, place, count):
    """Runs the race number `place` of `count` and checks its result. Returns whether the capture was accepted."""
    order = manual_order(shop, SCENARIOS[place % len(SCENARIOS)], CHANNELS[place // 2 % 2], **race.fields)
    hold = wait_until_held(shop, order)
    made, rival = start(shop, race, order, hold, place, count)
    won = made.status == 201
    assert won or (made.status, made.json.get("code")) == (409, "authorization_not_capturable"), made
    if rival is not None:
        assert rival.json.get("code") in (race.beaten if won else (None,)), (made, rival)
    check_result(shop, order, race.won if won else race.lost)
    return won


def start(shop, race, order, hold, place, count):
    """Sends both requests at the same time. Returns both responses; that of the deadline is None."""
    here, there = [PatientClient(api) for api in shop.api.nodes[::1 if place % 2 else -1]]
    if race.rival is None:
        wait_for(datetime.datetime.fromisoformat(hold["capture_before"]) + (place - count // 2) * STEP)
        return capture(here, order, hold, **race.capture), None
    barrier = threading.Barrier(2)

    def ask(request, client, **fields):
        barrier.wait()
        return request(client, order, hold, **fields)

    with concurrent.futures.ThreadPoolExecutor(2) as clients:
        made = clients.submit(ask, capture, here, **race.capture)
        rival = clients.submit(ask, race.rival, there)
        return made.result(), rival.result()


def wait_for(instant):
    until(lambda: datetime.datetime.now(datetime.timezone.utc) >= instant, f"it is {instant}", every=0.001)


def check_result(shop, order, result):
    """Waits until nothing is held any more. Checks the result, and that money, books and webhooks agree with it."""
    def over():
        now = shop.api.order(order["id"])
        [hold] = now["authorizations"]
        return now if hold["state"] in OVER and is_nothing_held(hold, shop.sandbox.holds_of(hold)) else None

    shop.api.order_when_final(order["id"], END_S)
    order = until(over, f"nothing is held for {order['id']}", END_S)
    [hold] = order["authorizations"]
    paid = order["paid_amount"]
    assert (order["state"], hold["state"], hold.get("end_reason"), paid) == result, order
    assert [one["state"] for one in hold["captures"]] == ["succeeded"] * int(paid > 0), hold
    check_hold_money(shop, order)
    assert sums_by_kind(shop.api, order) == ({"channel_receivable": -paid, "merchant_payable": paid} if paid else {})
    types = [one["type"] for one in shop.api.all("/v1/webhook_deliveries", order=order["id"])]
    ends = collections.Counter(name for name in types if name.startswith("order."))
    assert ends == {"order.authorized": 1, f"order.{order['state']}": 1}, types


def play_one_number(shop, place):
    """Sends the same capture to both nodes, with different Idempotency-Keys. Exactly one capture is made."""
    order = manual_order(shop, SCENARIOS[place % len(SCENARIOS)], CHANNELS[place % 2])
    hold = wait_until_held(shop, order)
    number, barrier = uuid.uuid4().hex, threading.Barrier(2)

    def ask(api):
        barrier.wait()
        return capture(PatientClient(api), order, hold, number)

    with concurrent.futures.ThreadPoolExecutor(2) as clients:
        answers = list(clients.map(ask, shop.api.nodes))
    assert sorted(answer.status for answer in answers) == [200, 201], answers
    assert len({answer.json["id"] for answer in answers}) == 1, answers
    check_result(shop, order, WHOLE)

"""The server dies as by a power cut, with payments under way; started again, it goes on as if nothing had happened."""

import concurrent.futures
import threading
import uuid

import pytest
import requests

from api import order_body
from shop import Shop
from wait import until

CLIENTS = 12
UNDER_WAY = 60
ANSWERED_BEFORE_THE_CUT = 20


@pytest.fixture(scope="module")
def module_server(start_server):
    return start_server("restart", time_scale=10)


@pytest.fixture(scope="module")
def shop(contract, module_server, merchant_server):
    return Shop.of_demo(contract, module_server, merchant_server)


def test_a_power_cut_loses_nothing(shop, module_server):
    by_hand = [shop.order_paid_by(channel, "manual") for channel in ["sandbox", "sandbox2"] * 3]
    slow = shop.order_paid_by("sandbox", "slow")
    requests_under_way = [request_of(shop, number) for number in range(UNDER_WAY)]
    answered = cut_off(shop, module_server, requests_under_way)

    assert shop.sandbox.is_up(), "the upstream world went down with the server"
    shop.sandbox.pay(by_hand[0]["payments"][0])
    module_server.start()

    orders = {}
    for number, (body, key) in enumerate(requests_under_way):
        order = shop.api.post("/v1/orders", body, expect={200, 201}, headers=key)
        assert order["merchant_order_no"] == body["merchant_order_no"]
        assert number not in answered or answered[number]["id"] == order["id"]
        orders[order["id"]] = order
    assert len(orders) == UNDER_WAY

    for order in by_hand[1:]:
        shop.sandbox.pay(order["payments"][0])
    for order in [*by_hand, slow, *orders.values()]:
        declined = order["metadata"].get("scenario") == "declines"
        end = shop.api.order_when_final(order["id"], timeout=40)
        assert end["state"] == ("failed" if declined else "succeeded"), end
        assert len(end["payments"]) == 1
        delivery = shop.wait_for_notification(order, timeout=40)
        received = shop.received.deliveries(shop.path, order["id"])
        assert all(each.verified for each in received) and {each.id for each in received} == {delivery.id}

    ledger = shop.sandbox.ledger()
    everything = shop.api.all("/v1/orders")
    assert len(everything) == len(by_hand) + 1 + UNDER_WAY
    assert {payment["out_trade_no"] for order in everything for payment in order["payments"]} == set(ledger)
    for order in everything:
        shop.check_money(order, ledger)
        shop.check_events(order)


def request_of(shop, number):
    scenario = "declines" if number % 5 == 0 else "pays"
    body = order_body(merchant_order_no=f"cut-{number}", notify_url=shop.notify_url, attempts=1,
                      metadata={"scenario": scenario},
                      payment={"channel": ["sandbox", "sandbox2"][number % 2], "scenario": scenario})
    return body, {"Idempotency-Key": str(uuid.uuid4())}


def cut_off(shop, module_server, requests_under_way):
    """Sends all requests from many clients and kills the server in their midst; returns what was answered."""
    answered = {}
    enough = threading.Event()

    def send(number):
        body, key = requests_under_way[number]
        try:
            answered[number] = shop.api.post("/v1/orders", body, expect=201, headers=key)
        except requests.RequestException:
            return
        if len(answered) >= ANSWERED_BEFORE_THE_CUT:
            enough.set()

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
        sent = [clients.submit(send, number) for number in range(UNDER_WAY)]
        assert enough.wait(timeout=30)
        module_server.kill()
        for one in sent:
            one.result()
    assert ANSWERED_BEFORE_THE_CUT <= len(answered) < UNDER_WAY
    return answered


def test_sigterm_stops_the_server_and_the_upstream_world(shop, module_server):
    module_server.stop()
    until(lambda: not shop.sandbox.is_up(), "the sandbox is down", timeout=10)
    module_server.verify()

"""Routing of payments without a channel: the configured routes choose an available channel. A payment whose result is
outstanding is never sent over a second channel."""

import contextlib
import shutil
import subprocess
import time
import uuid

import pytest

from api import Api, order_body
from conftest import FAST
from finality_server import BINARY, START_S, STOP_S, free_ports, serving
from sandbox_client import SandboxClient
from wait import until

SETTINGS = """
time_scale = {scale}
[channels.sandbox]
kind = "sandbox"
url = "{up}"
secret_file = "{secret}"
[channels.sandbox2]
kind = "sandbox"
url = "http://127.0.0.1:{down}"
secret_file = "{secret}"
[[routes]]
channels = ["sandbox2:web", "sandbox:web"]
method = "quick"
currency = "CNY"
amount_max = 5000
[[routes]]
channels = ["sandbox"]
amount_min = 5001
"""
AT_ONCE_S = 1    # less than the 2 s for which a request waits for the channel's reply
PROBES_MAX = 20
OUTSTANDING = 4  # number of orders whose result from the unavailable channel is outstanding


class World:
    """A server with routes to two channels: the sandbox of one runs, and no process listens on the port of the
    other."""

    def __init__(self, contract, server, secret, down_port):
        self._server = server
        self._secret = secret
        self._port = down_port
        admin = Api(contract, server.base_url, server.admin_key)
        merchant = admin.post("/v1/merchants", {"name": "routes"}, expect=201)
        key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
        self.api = Api(contract, server.base_url, key["key"])

    def order(self, amount, expect=201, **payment):
        return self.api.create_order(expect=expect, amount=amount, payment=payment)

    def orders_until_held(self, amount):
        """Creates orders over the unavailable channel until the breaker holds back the request of one. The request of
        another can be a probe. Returns the orders and the seconds until the response about the last one."""
        orders = []
        while len(orders) < PROBES_MAX:
            started_at = time.monotonic()
            orders.append(self.order(amount + len(orders), channel="sandbox2", scenario="pays"))
            seconds = time.monotonic() - started_at
            details = [item["detail"] for item in self.api.timeline(orders[-1]["id"])]
            if next((detail.get("code") for detail in details if "evidence" in detail), None) == "channel_down":
                return orders, seconds
        raise AssertionError("the breaker held back no request")

    def metric(self, name, channel):
        text = self.api.request("GET", "/metrics").text
        [line] = [line for line in text.splitlines() if line.startswith(f'{name}{{channel="{channel}"}}')]
        return float(line.split()[-1])

    def is_down(self, channel):
        return self.metric("finality_channel_breaker_open", channel) == 1

    @contextlib.contextmanager
    def up(self):
        """Runs a sandbox on the port of the unavailable channel until the block ends."""
        data = self._server.data / "late"
        data.mkdir()
        shutil.copy(self._secret, data / "sandbox.secret")
        process = subprocess.Popen([BINARY, "sandbox", "--port", str(self._port), "--data", data],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            late = SandboxClient(f"http://127.0.0.1:{self._port}")
            until(late.is_up, "the channel is up", START_S)
            yield late
        finally:
            process.terminate()
            process.wait(STOP_S)


@pytest.fixture(scope="module")
def world(contract, server, tmp_path_factory):
    [down] = free_ports(1)
    secret = server.data / "sandbox.secret"
    settings = SETTINGS.format(scale=FAST, up=server.demo["sandbox_url"], secret=secret, down=down)
    with serving(tmp_path_factory.mktemp("routes"), settings) as routed:
        yield World(contract, routed, secret, down)


def test_the_first_route_that_fits_decides(world):
    order = world.order(5001, scenario="pays")
    [payment] = order["payments"]
    assert (payment["channel"], payment["method"]) == ("sandbox", "web")
    assert world.api.order_when_final(order["id"])["state"] == "succeeded"


def test_a_named_channel_is_used(world):
    order = world.order(9000, channel="sandbox", scenario="pays")
    assert order["payments"][0]["channel"] == "sandbox"


@pytest.mark.parametrize("amount, currency, method",
                         [(5000, "CNY", None), (5000, "USD", "quick"), (5001, "CNY", "fax")])
def test_a_payment_without_a_matching_route_is_refused(world, amount, currency, method):
    wanted = {"method": method} if method else {}
    problem = world.api.create_order(expect=400, amount=amount, currency=currency, payment=wanted)
    assert problem["code"] == "invalid_request" and problem["param"] == "channel"
    order = world.api.create_order(amount=amount, currency=currency)
    problem = world.api.post(f"/v1/orders/{order['id']}/payments", wanted, expect=400)
    assert problem["code"] == "invalid_request" and problem["param"] == "channel"


def test_a_repeated_payment_request_returns_the_same_payment(world):
    order = world.api.create_order(amount=6000)
    body = {"merchant_payment_no": "P-1", "scenario": "manual"}
    path = f"/v1/orders/{order['id']}/payments"
    first = world.api.post(path, body, expect=201)
    assert first["channel"] == "sandbox"
    assert world.api.post(path, body, expect=200)["id"] == first["id"]
    number = uuid.uuid4().hex
    body = order_body(merchant_order_no=number, amount=6000, payment={"scenario": "manual"})
    made = world.api.post("/v1/orders", body, expect=201)
    assert world.api.post("/v1/orders", body, expect=200)["id"] == made["id"]


def test_while_a_channel_is_down_new_payments_use_another_and_outstanding_ones_wait(world):
    outstanding = [world.order(1000 + number, channel="sandbox2", scenario="pays") for number in range(OUTSTANDING)]
    assert {order["state"] for order in outstanding} == {"processing"}
    until(lambda: world.is_down("sandbox2"), "the breaker is open")
    assert not world.is_down("sandbox")

    elsewhere = world.order(2000, method="quick", scenario="pays")
    assert elsewhere["payments"][0]["channel"] == "sandbox"
    assert world.api.order_when_final(elsewhere["id"])["state"] == "succeeded"

    for order in outstanding:  # no order has a payment over a second channel
        problem = world.api.post(f"/v1/orders/{order['id']}/payments", {"method": "quick"}, expect=409)
        assert problem["code"] == "payment_in_progress"
    until(lambda: world.metric("finality_channel_calls_held_total", "sandbox2") > 0, "requests are held back")
    held, seconds = world.orders_until_held(1000 + OUTSTANDING)
    assert held[-1]["state"] == "processing" and seconds < AT_ONCE_S
    outstanding += held

    with world.up() as late:
        for order in outstanding:
            ended = world.api.order_when_final(order["id"], timeout=60)
            assert ended["state"] == "succeeded" and len(ended["payments"]) == 1
        until(lambda: not world.is_down("sandbox2"), "the breaker is closed")
        amounts = [1000 + number for number in range(len(outstanding))]
        assert sorted(trade["paid"] for trade in late.all_trades()) == amounts
        back = world.order(3000, method="quick", scenario="pays")
        assert back["payments"][0]["channel"] == "sandbox2"
        assert world.api.order_when_final(back["id"])["state"] == "succeeded"

"""One channel responds after 7 s while one merchant creates more payments on it than the limit of concurrent requests.
Payments on another channel are not delayed, nor are another merchant's payments on the same channel."""

import contextlib
import json
import re
import socket
import threading
import time
import urllib.parse

import pytest

from api import order_body
from finality_server import serving
from merchant_fixtures import new_merchant
from socket_server import SocketServer, receive
from wait import until

SETTINGS = """
[channels.sandbox]
kind = "sandbox"
url = "http://127.0.0.1:{slow}"
secret_file = "{secret}"
[channels.sandbox2]
kind = "sandbox"
url = "{quick}"
secret_file = "{secret}"
"""
SLOW_S = 7
AT_ONCE_S = 2  # time limit of a POST, which does not wait 7 s for the channel
CONNECTIONS, PIPELINED = 24, 60  # more orders than the limit of concurrent requests per channel account


@pytest.fixture
def slow_channel():
    """Channel that responds to every request after 7 s. The server rejects the response, because it has no
    signature."""
    over = threading.Event()

    def answer(connection):
        receive(connection)
        over.wait(SLOW_S)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    channel = SocketServer("127.0.0.1", talk=answer)
    yield channel
    over.set()
    channel.stop()


@contextlib.contextmanager
def orders_over(api, channel, connections=1, pipelined=1):
    """Sends connections × pipelined requests that each create an order, without reading the responses. The connections
    stay open until the block ends."""
    address = urllib.parse.urlsplit(api.base_url)
    with contextlib.ExitStack() as opened:
        for _ in range(connections):
            requests = [request_for_order(api, address.netloc, channel) for _ in range(pipelined)]
            connection = socket.create_connection((address.hostname, address.port), timeout=AT_ONCE_S)
            opened.enter_context(connection).sendall(b"".join(requests))
        yield


def request_for_order(api, host, channel):
    body = json.dumps(order_body(payment={"channel": channel})).encode()
    fields = {"Host": host, "Content-Type": "application/json", "Content-Length": len(body)} | api.headers
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST /v1/orders HTTP/1.1\r\n{head}\r\n".encode() + body


def metric(api, name, channel=None):
    labels = f'\\{{channel="{channel}"\\}}' if channel else ""
    [value] = re.findall(rf"^{name}{labels} (\S+)$", api.request("GET", "/metrics").text, re.M)
    return float(value)


def all_dropped(api, channel):
    """Returns the number of dropped effects, or 0 if an effect other than a request to this channel was dropped."""
    dropped = metric(api, "finality_effects_dropped_total")
    return dropped if dropped == metric(api, "finality_channel_calls_dropped_total", channel) else 0


def check_pays_at_once(api, channel):
    begun = time.monotonic()
    order = api.create_order(payment={"channel": channel, "scenario": "manual"})
    [payment] = order["payments"]
    assert payment["state"] == "pending" and payment["action"], payment
    assert time.monotonic() - begun < AT_ONCE_S


def test_a_slow_channel_does_not_delay_payments_of_another_channel(contract, server, tmp_path, slow_channel):
    settings = SETTINGS.format(slow=slow_channel.port, quick=server.demo["sandbox_url"],
                               secret=server.data / "sandbox.secret")
    with serving(tmp_path, settings) as node:
        one, other = new_merchant(contract, node), new_merchant(contract, node)
        with orders_over(one, "sandbox", CONNECTIONS, PIPELINED):
            until(lambda: metric(one, "finality_effects_queued") > 0, "requests to the slow channel wait", SLOW_S)
            for _ in range(5):
                check_pays_at_once(one, "sandbox2")
                check_pays_at_once(other, "sandbox2")

            reached = slow_channel.connections
            with orders_over(other, "sandbox"):
                until(lambda: slow_channel.connections > reached, "another merchant's request arrives", AT_ONCE_S)

            until(lambda: all_dropped(one, "sandbox"), "late effects are dropped and counted", 2 * SLOW_S)
            check_pays_at_once(other, "sandbox2")
            assert all_dropped(one, "sandbox") and metric(one, "finality_channel_calls_dropped_total", "sandbox2") == 0

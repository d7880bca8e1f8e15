"""A merchant's server accepts hundreds of webhooks and never responds. It delays neither the first attempt nor a resend
of another merchant's webhooks."""

import threading

import pytest

from finality_server import serving
from merchant_fixtures import close_order, deliveries_after, new_merchant
from socket_server import SocketServer, read_request

MANY = 700  # number of webhooks; exceeds the limit of concurrent deliveries
AT_ONCE_S = 5  # less than the 15 s after which an attempt times out


@pytest.fixture
def receivers():
    """Returns a function that starts a server, which reads each request and then calls `talk(connection)`."""
    servers = []

    def start(talk):
        def answer(connection):
            read_request(connection)
            talk(connection)

        servers.append(SocketServer("127.0.0.1", talk=answer))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def test_a_server_that_never_responds_does_not_delay_other_merchants(contract, tmp_path, receivers):
    never = threading.Event()
    silent = receivers(lambda connection: never.wait(60))
    quick = receivers(lambda connection: connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n"))
    try:
        with serving(tmp_path, '[webhooks]\nallow_private = ["127.0.0.1"]\n') as server:
            one, other = new_merchant(contract, server), new_merchant(contract, server)
            one.post("/v1/webhook_endpoints", {"url": f"http://127.0.0.1:{silent.port}/hook"}, expect=201)
            for _ in range(MANY):
                close_order(one)
            for _ in range(3):
                order = close_order(other, notify_url=f"http://127.0.0.1:{quick.port}/hook")
                [delivery] = deliveries_after(other, order, attempts=1, timeout=AT_ONCE_S)
                assert delivery["state"] == "delivered", delivery
                other.post(f"/v1/webhook_deliveries/{delivery['id']}/resend")
                [delivery] = deliveries_after(other, order, attempts=2, timeout=AT_ONCE_S)
            never.set()
    finally:
        never.set()

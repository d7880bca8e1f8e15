"""The listener for health and metrics, and readiness while one merchant floods the server with reads."""

import socket
import time

import requests

from finality_server import free_ports, serving
from merchant_fixtures import new_merchant

FLOOD_CONNECTIONS = 20
PIPELINED = 60  # below the server's limit of pending requests per connection
AT_ONCE_S = 2


def fetch(base_url, path):
    return requests.get(base_url + path, timeout=10, proxies={"http": None})


def flood(server, api, path):
    """Sends many requests of one merchant. Returns the connections, whose responses the test does not read."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {api.headers['Authorization']}\r\n\r\n"
    connections = []
    for _ in range(FLOOD_CONNECTIONS):
        connection = socket.create_connection(("127.0.0.1", int(server.base_url.rsplit(":", 1)[1])), timeout=10)
        connection.sendall(request.encode() * PIPELINED)
        connections.append(connection)
    return connections


def test_a_second_listener_serves_only_health_and_metrics(tmp_path):
    [port] = free_ports(1)
    settings = f'[health]\nlisten = "127.0.0.1:{port}"\nprivate_metrics = true\n'
    with serving(tmp_path, settings) as server:
        separate = f"http://127.0.0.1:{port}"
        for path in ["/healthz", "/readyz", "/metrics"]:
            assert fetch(separate, path).status_code == 200, path
        assert fetch(separate, "/v1/orders").status_code == 404
        assert fetch(server.base_url, "/readyz").status_code == 200
        assert fetch(server.base_url, "/metrics").status_code == 404


def test_reads_of_one_merchant_delay_neither_readiness_nor_other_merchants(contract, tmp_path):
    with serving(tmp_path) as server:
        noisy, other = new_merchant(contract, server), new_merchant(contract, server)
        order = noisy.create_order()
        quiet = other.create_order()
        connections = flood(server, noisy, f"/v1/orders/{order['id']}/timeline")
        for _ in range(5):
            begun = time.monotonic()
            assert fetch(server.base_url, "/readyz").status_code == 200
            assert other.order(quiet["id"])["id"] == quiet["id"]
            assert time.monotonic() - begun < AT_ONCE_S
        for connection in connections:
            connection.close()
        assert fetch(server.base_url, "/readyz").status_code == 200

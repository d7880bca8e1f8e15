"""A server continues when the reader of its log has gone or does not read."""

import fcntl
import os

import pytest

from finality_server import ConfiguredServer
from merchant_fixtures import new_merchant
from wait import until

REQUESTS = 300  # more lines than the pipe has room for


@pytest.fixture
def piped(tmp_path):
    """Yields a server that logs each request into a pipe, and the descriptor of the pipe's reader."""
    server = ConfiguredServer(tmp_path / "piped", "[log]\naccess = true\n")
    reader, server.log_descriptor = os.pipe()
    fcntl.fcntl(server.log_descriptor, fcntl.F_SETPIPE_SZ, 16_384)
    os.set_blocking(reader, False)
    try:
        server.start()
        os.close(server.log_descriptor)
        yield server, reader
    finally:
        server.clean_up()


def read(reader):
    text = b""
    while True:
        try:
            part = os.read(reader, 65_536)
        except BlockingIOError:
            return text.decode()
        if not part:
            return text.decode()
        text += part


def test_a_log_reader_that_has_gone_does_not_stop_the_server(piped, contract):
    server, reader = piped
    os.close(reader)
    api = new_merchant(contract, server)
    orders = [api.create_order() for _ in range(20)]
    assert len(api.all("/v1/orders")) == len(orders)
    server.stop()
    server.verify()


def test_a_log_reader_that_does_not_read_delays_no_request(piped, contract):
    server, reader = piped
    api = new_merchant(contract, server)
    for _ in range(REQUESTS):
        api.get("/v1/orders", timeout=2)
    assert "log lines dropped" not in read(reader)

    def reported():
        api.get("/v1/orders")
        return 'msg="log lines dropped" lines=' in read(reader)

    until(reported, "the number of dropped lines is logged")
    server.stop()
    os.close(reader)

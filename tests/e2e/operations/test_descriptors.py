"""The limit of open files: the server raises the soft limit to the hard limit, and idle connections cannot exhaust
it."""

import contextlib
import resource
import socket

import pytest

from api import Api
from finality_server import FinalityServer
from shop import Shop

FEW = 256


@pytest.fixture(scope="module")
def limited_server(tmp_path_factory):
    """A server process that starts with a soft limit of 64 open files and a hard limit of FEW."""
    server = FinalityServer(tmp_path_factory.mktemp("descriptors"), time_scale=100)
    server.descriptors = FEW
    try:
        yield server.start()
        server.stop()
        server.verify()
    finally:
        server.clean_up()


def test_the_server_raises_the_limit_of_open_files(limited_server):
    assert resource.prlimit(limited_server.process_id, resource.RLIMIT_NOFILE) == (FEW, FEW)
    log = limited_server.log_tail()
    assert 'msg="fewer connections than intended' in log and f" connections={FEW // 2} " in log and f" files={FEW} " in log


def test_idle_connections_do_not_block_payments(limited_server, contract, merchant_server):
    shop = Shop.of_demo(contract, limited_server, merchant_server)
    shop.order()  # the client keeps this connection open
    address = ("127.0.0.1", int(limited_server.demo["base_url"].rsplit(":", 1)[1]))
    with contextlib.ExitStack() as crowd:
        for _ in range(2 * FEW):
            crowd.enter_context(socket.create_connection(address, timeout=5))
        shop.check_end(shop.order_paid_by("sandbox", "pays"), "succeeded")
    newcomer = Api(contract, limited_server.demo["base_url"], limited_server.demo["secret_key"])
    assert newcomer.create_order()["state"] == "pending"

"""Fixtures for a module whose tests share a server of their module, the fixture `module_server`: the merchant's server
that receives its webhooks, and its shop."""

import pytest

from merchant_server import MerchantServer
from shop import Shop


@pytest.fixture(scope="module")
def receiver():
    server = MerchantServer()
    yield server
    server.stop()
    assert server.unverified() == []


@pytest.fixture(scope="module")
def shop(contract, module_server, receiver):
    return Shop.of_demo(contract, module_server, receiver)

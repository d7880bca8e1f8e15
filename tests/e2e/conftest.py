"""Fixtures of the end-to-end tests. Most modules share one server. Each module has its own merchants, so modules do not
affect each other."""

import pathlib
import sys
import uuid

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / folder) for folder in ("support", "crash", "interop")]

from api import Api
from account_fixtures import Bank
from finality_server import FinalityServer
from history_recorder import recorded
from merchant_server import MerchantServer
from program_hooks import contract, pytest_configure, pytest_runtest_makereport  # noqa: F401
from shop import Shop

# Time scale: pauses between retries are a hundred times shorter, so 4 minutes take 2.4 s.
FAST = 100


# Slow modules of this folder and of tests/, which run together, longest first. With several workers they start first,
# which shortens the whole run.
LONG = ["test_bench", "test_compiler_cache", "test_channel_failures", "test_two_nodes", "test_standby",
        "test_failures", "test_crash", "test_webhook_targets", "test_scenario_timelines", "test_checkout",
        "test_payments", "test_webhooks", "test_routes", "test_account_races"]


def pytest_collection_modifyitems(items):
    rank = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(LONG)))  # stable: keeps the order within a module


@pytest.fixture(scope="session")
def merchant_server():
    server = MerchantServer()
    yield server
    server.stop()
    assert server.unverified() == []


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """The file to which the requests of the module are recorded with their responses."""
    with recorded(tmp_path_factory.mktemp("history") / "history.jsonl") as path:
        yield path


@pytest.fixture(scope="session")
def start_server(tmp_path_factory):
    """Returns a function that starts a `finality demo` server. The end of the test run stops all servers that still
    run. The servers share the keys of the simulated gateways, unless `own_keys` is set."""
    servers = []
    keys = tmp_path_factory.mktemp("keys")

    def start(name, time_scale=1, own_keys=False):
        server = FinalityServer(tmp_path_factory.mktemp(name), time_scale, None if own_keys else keys)
        servers.append(server)
        return server.start()

    yield start
    try:
        for server in servers:
            server.stop()
    finally:
        for server in servers:
            server.clean_up()


@pytest.fixture(scope="session")
def server(start_server):
    """The server that most modules share. Its store must pass the audit after all tests."""
    server = start_server("shared", FAST)
    yield server
    server.stop()
    server.verify()


@pytest.fixture(scope="session")
def admin(contract, server):
    return Api(contract, server.demo["base_url"], server.demo["operators"]["admin"])


@pytest.fixture(scope="session")
def new_shop(contract, server, merchant_server, admin):
    """Returns a function that creates a merchant with a secret key through the API. It returns the merchant's Shop."""

    def make(name=None):
        name = name or f"shop {uuid.uuid4().hex[:8]}"
        merchant = admin.post("/v1/merchants", {"name": name}, expect=201)
        key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
        api = Api(contract, server.demo["base_url"], key["key"])
        return Shop(contract, api, server.demo["sandbox_url"], merchant_server, merchant["id"],
                    merchant["webhook_secret"], server.demo["operators"]["admin"])

    return make


# Fixtures for accounts of the module's merchant and of a second merchant.


@pytest.fixture(scope="module")
def shop(new_shop):
    return new_shop()


@pytest.fixture(scope="module")
def bank(shop):
    return Bank(shop.api, shop.operator)


@pytest.fixture(scope="module")
def other(new_shop):
    shop = new_shop()
    return Bank(shop.api, shop.operator)


@pytest.fixture
def alice(bank):
    return bank.open(balance=1000)


@pytest.fixture
def bob(bank):
    return bank.open()

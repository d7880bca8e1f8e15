"""The wall clock of the machine jumps. A spike changes no time of any object, also after a restart. A correction that
lasts is followed."""

import datetime
import re
import time

import pytest
import requests

from finality_server import ConfiguredServer
from merchant_fixtures import new_merchant
from shifted_clock import ShiftedClock
from store_place import SERVER
from wait import until

SPIKE_S = 0.3
RIGHT_WITHIN_S = 5


@pytest.fixture
def shifted(tmp_path):
    """Yields the clock and a function that starts a server with it. The server's own clock file permits advance()."""
    clock = ShiftedClock(tmp_path)
    servers = []

    def start():
        server = ConfiguredServer(tmp_path / "server", clock=True)
        server.environment = clock.environment
        servers.append(server)
        return server.start()

    yield clock, start
    try:
        for server in servers:
            server.stop()
            server.verify()
    finally:
        for server in servers:
            server.clean_up()


def error_of(order):
    """Returns the difference between the order's created_at and the right time, in seconds."""
    return abs(datetime.datetime.fromisoformat(order["created_at"]).timestamp() - time.time())


def create_during_a_spike(clock, api, seconds):
    orders = []
    clock.shift(seconds)
    end = time.monotonic() + SPIKE_S
    while time.monotonic() < end:
        orders.append(api.create_order(expires_in=3600))
    clock.shift(0)
    return orders


@pytest.mark.parametrize("hours", [2, -2])
def test_a_spike_has_no_effect_on_times(shifted, contract, hours):
    clock, start = shifted
    server = start()
    started = time.monotonic()
    api = new_merchant(contract, server)
    early = api.create_order(expires_in=3600)
    until(lambda: time.monotonic() - started > RIGHT_WITHIN_S, "the server trusts its clock")
    orders = create_during_a_spike(clock, api, hours * 3600)
    orders += [api.create_order(expires_in=3600)]
    assert [order for order in orders if error_of(order) > RIGHT_WITHIN_S] == []
    assert server.log.read_text().count("wall clock jumped") == 1
    until(lambda: jumps(server) == 1, "the jump is counted")
    server.kill()
    server.start()
    orders += [api.create_order(expires_in=3600)]
    assert error_of(orders[-1]) <= RIGHT_WITHIN_S
    assert sorted(order["id"] for order in orders) == [order["id"] for order in orders]
    assert api.order(early["id"])["state"] == "pending"
    server.advance("61m")
    for order in [early, *orders]:
        assert api.order_when_final(order["id"])["closed_reason"] == "expired"


def jumps(server):
    text = requests.get(f"{server.base_url}/metrics", timeout=5, proxies={"http": None}).text
    return float(re.search(r"^finality_clock_jumps_total (\S+)$", text, re.MULTILINE)[1])


def test_a_clock_that_was_wrong_at_the_start_is_corrected(shifted, contract):
    clock, start = shifted
    clock.shift(3600)
    server = start()
    api = new_merchant(contract, server)
    before = api.create_order()
    clock.shift(0)
    until(lambda: error_of(api.create_order()) <= RIGHT_WITHIN_S, "new orders have the right time")
    server.kill()
    server.start()
    after = api.create_order()
    assert error_of(after) <= RIGHT_WITHIN_S
    # On PostgreSQL the restarted server can have another node number, and ids grow per number.
    assert SERVER or after["id"] > before["id"]

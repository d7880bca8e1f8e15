"""A restarted server detects payments made while it was down, and SIGTERM to the demo also stops its sandbox.

test_crash.py tests kills during concurrent payments.
"""

import pytest

from conftest import FAST
from shop import Shop
from wait import until

CHANNELS = ["sandbox", "sandbox2"]


@pytest.fixture(scope="module")
def module_server(start_server):
    return start_server("restart", FAST)


@pytest.fixture(scope="module")
def shop(contract, module_server, merchant_server):
    return Shop.of_demo(contract, module_server, merchant_server)


def test_payments_made_while_the_server_was_down_are_found(shop, module_server):
    by_hand = [shop.order_paid_by(channel, "manual") for channel in CHANNELS for _ in range(2)]
    declined = shop.order_paid_by("sandbox", "manual", attempts=1)
    outstanding = shop.order_paid_by("sandbox", "slow")
    module_server.kill()
    assert shop.sandbox.is_up(), "the sandbox stopped together with the server"
    for order in by_hand[::2]:
        shop.sandbox.pay(order["payments"][0])
    shop.sandbox.decline(declined["payments"][0])
    module_server.start()
    for order in by_hand[1::2]:
        shop.sandbox.pay(order["payments"][0])

    for order in [*by_hand, declined, outstanding]:
        shop.api.order_when_final(order["id"], timeout=40)
        shop.wait_for_notification(order, timeout=40)
        shop.check_end(order, "failed" if order is declined else "succeeded")


def test_sigterm_stops_the_server_and_the_sandbox(shop, module_server):
    module_server.stop()
    until(lambda: not shop.sandbox.is_up(), "the sandbox is down", timeout=10)
    module_server.verify()

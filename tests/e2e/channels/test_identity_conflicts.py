"""A line of a downloaded statement whose numbers are of two orders moves no money."""

import pytest

from api import Api
from sandbox_signature import secret_of
from simple_statement import StatementProxy
from statement_world import statement_world
from wait import until

AMOUNT = 10_000
REFUNDED = 3000


def use_proxy(world):
    world.way = StatementProxy(world.upstream.url, secret_of(world.upstream))
    world.gateway_url = world.way.url


@pytest.fixture(scope="module")
def world(contract, tmp_path_factory):
    directory = tmp_path_factory.mktemp("identity")
    with statement_world(directory, contract, ["sandbox"], use_proxy) as world:
        merchant = world.admin.post("/v1/merchants", {"name": "other shop"}, expect=201)["id"]
        key = world.admin.post("/v1/api_keys", {"merchant": merchant, "name": "till"}, expect=201)
        world.other_shop = Api(contract, world.server.base_url, key["key"])
        world.pass_to(12)
        yield world
    world.way.stop()


def paid_by_other(world):
    order = world.other_shop.create_order(amount=AMOUNT, payment={"channel": "sandbox", "scenario": "pays"})
    return world.other_shop.order_when_final(order["id"], timeout=60)


def add_line(world, like, **changes):
    """The statements of trades contain another line: that with these numbers, with changes. The other lines stay."""
    def change(statement):
        if statement.kind == "trades":
            [found] = [line for line in statement.lines if like.items() <= line.items()]
            statement.lines.append(found | changes)

    world.way.change = change


def conflicts_of(world, date):
    return [row for row in world.differences(date) if row["class"] == "identity_conflict"]


def test_a_line_with_the_numbers_of_two_merchants_books_nothing(world):
    failed = world.shop.order_when_final(world.order(scenario="declines", attempts=1)["id"], timeout=60)
    owner = paid_by_other(world)
    number = owner["payments"][0]["out_trade_no"]
    add_line(world, {"type": "payment", "out_trade_no": number}, out_trade_no=failed["payments"][0]["out_trade_no"])
    date = world.close_day()
    [found] = conflicts_of(world, date)
    assert found["state"] == "open" and found["amount"] == AMOUNT and "repaired_by" not in found
    assert [row["class"] for row in world.differences(date)] == ["identity_conflict"]
    after = world.shop.order(failed["id"])
    assert after["state"] == failed["state"] and after["paid_amount"] == 0
    assert after["payments"][0]["reversed_amount"] == 0
    # The sandbox has returned nothing of the trade of the other merchant.
    assert world.other_shop.order(owner["id"])["refunded_amount"] == 0
    assert world.sandbox.trade_of(owner["payments"][0])["refunded"] == 0


def test_a_refund_line_with_the_numbers_of_two_orders_books_nothing(world):
    world.way.change = None
    world.pass_to(12)
    owner, refunded = world.paid(), world.paid()
    refund = world.refunded(refunded, REFUNDED)
    until(lambda: world.shop.order(refunded["id"])["refunded_amount"] == REFUNDED, "the refund is booked")
    numbers = {"type": "refund", "out_trade_no": refunded["payments"][0]["out_trade_no"]}
    trade = world.sandbox.trade_of(owner["payments"][0])["trade_no"]
    add_line(world, numbers, out_trade_no=owner["payments"][0]["out_trade_no"], trade_no=trade)
    date = world.close_day()
    [found] = conflicts_of(world, date)
    assert found["state"] == "open" and refund["state"] == "succeeded"
    assert world.shop.order(owner["id"])["refunded_amount"] == 0

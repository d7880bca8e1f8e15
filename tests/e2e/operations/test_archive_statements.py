"""Archiving and statements: an order stays in the store until the statements of trades and of funds confirm its payments
and refunds."""

import pytest

from archives import archive, instant, wait_for_ids
from sandbox_signature import secret_of
from simple_statement import StatementProxy
from statement_world import statement_world
from store_place import copy_store, store_of
from store_sql import run

LONG_AGO = "2020-01-01"


def use_proxy(world):
    world.way = StatementProxy(world.upstream.url, secret_of(world.upstream))
    world.gateway_url = world.way.url


def archive_copy(world, directory):
    """Archives a copy of the store in which the channel account has had statements for a long time. Returns the
    report."""
    directory.mkdir()
    world.server.stop()
    copy_store(world.server.data, directory)
    world.server.start()
    run(store_of(directory), f"UPDATE statements SET date = '{LONG_AGO}'")
    wait_for_ids(store_of(directory))
    return archive(store_of(directory), directory / "year-1", instant())


@pytest.fixture
def world(contract, tmp_path):
    with statement_world(tmp_path / "world", contract, ["sandbox"], use_proxy) as world:
        yield world
    world.way.stop()


def test_an_order_waits_for_its_line_of_the_funds_statement(world, tmp_path):
    world.paid()
    dropped = world.paid()
    number = dropped["payments"][0]["out_trade_no"]

    def drop(statement):
        if statement.kind == "funds":
            statement.lines = [line for line in statement.lines if line["out_trade_no"] != number]
    world.way.change = drop
    world.pass_to(23, 58)  # the payments have the time of the system's clock, as `finality archive` has
    date = world.close_day()
    [found] = world.differences(date)
    assert (found["class"], found["state"]) == ("trade_without_funds", "carried")
    report = archive_copy(world, tmp_path / "first")
    assert (report["removed"], report["waiting"]) == (1, 1)

    world.way.change = None
    assert world.fetch(date, kind="funds")["version"] == 2
    assert world.operator.get(f"/v1/differences/{found['id']}")["state"] == "repaired"
    report = archive_copy(world, tmp_path / "second")
    assert (report["removed"], report["waiting"]) == (2, 0)

"""The identity job: the server finds an order that another program has damaged in the store, and opens a case. It
settles the case when the order agrees again."""

import pytest

import store_sql
from conftest import FAST
from shop import Shop
from test_metrics import value_of
from wait import until


@pytest.fixture(scope="module")
def own_server(start_server):
    return start_server("identities", FAST)


@pytest.fixture(scope="module")
def own_shop(contract, own_server, merchant_server):
    return Shop.of_demo(contract, own_server, merchant_server)


def change_while_stopped(server, sql):
    server.stop()
    store_sql.run(server.store, sql)
    server.start()


def identity_cases(shop):
    return [case for case in shop.operator.all("/v1/cases") if case["kind"] == "identity"]


def test_a_damaged_order_gets_a_case_until_it_is_repaired(own_server, own_shop):
    shop = own_shop
    sound = shop.order_paid_by("sandbox", "pays")
    order = shop.order_paid_by("sandbox", "pays")
    for one in (sound, order):
        assert shop.api.order_when_final(one["id"])["state"] == "succeeded"
    until(lambda: value_of(shop, "finality_identity_orders_checked_total") >= 2, "the orders are checked")
    assert value_of(shop, "finality_identity_violations_total") == 0 and identity_cases(shop) == []

    [database_id] = store_sql.order_ids(own_server.store, order["merchant_order_no"])
    change_while_stopped(own_server, f"UPDATE orders SET paid_amount = paid_amount - 1 WHERE id = {database_id}")
    for one in (sound, order):
        shop.api.create_refund(one["payments"][0]["id"], amount=1)
    [case] = until(lambda: identity_cases(shop), "a case is opened")
    assert case["object_id"] == order["id"] and case["state"] == "open" and case["resolutions"] == ["keep"]
    [evidence] = case["evidence"]
    assert f"has paid_amount {order['amount'] - 1} and accepted receipts of {order['amount']}" in evidence["finding"]
    until(lambda: value_of(shop, "finality_identity_violations_total") == 1, "the violation is counted")
    until(lambda: value_of(shop, "finality_identity_orders_disagreeing") == 1, "the order is counted")
    assert value_of(shop, "finality_identity_lag_seconds") < 60

    change_while_stopped(own_server, f"UPDATE orders SET paid_amount = paid_amount + 1 WHERE id = {database_id}")
    until(lambda: identity_cases(shop)[0]["state"] == "resolved", "the case is settled")
    assert identity_cases(shop)[0]["resolution"] == "settled" and len(identity_cases(shop)) == 1
    until(lambda: value_of(shop, "finality_identity_orders_disagreeing") == 0, "no order disagrees")
    own_server.stop()
    own_server.verify()

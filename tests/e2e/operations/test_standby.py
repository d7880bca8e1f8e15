"""Failover: the PostgreSQL primary is killed during payments of every kind, and its standby is promoted.

With a synchronous standby no acknowledged result is missing (crash_checks.py). With an asynchronous standby that lags
behind, acknowledged payments are lost, as the last test demonstrates.

FINALITY_STANDBY_PAYMENTS sets the number of payments. FINALITY_STANDBY_SEED repeats the random choices of a run.
"""

import concurrent.futures
import os
import random
import uuid

import pytest

from api import order_body
from crash_checks import (ended, wrong_ends,  # noqa: F401
                          test_every_story_was_completed, test_every_order_has_an_allowed_end,
                          test_money_is_equal_on_both_sides, test_every_number_has_one_order,
                          test_refunds_have_the_expected_end,
                          test_a_repeated_request_gets_the_same_response,
                          test_the_same_number_under_another_key_is_the_same_object,
                          test_final_states_did_not_change, test_accounts_match_the_responses,
                          test_wallet_payments_have_the_expected_end, test_the_merchant_was_notified_of_every_event)
from crash_rounds import Run
from patient_client import PATIENCE_S, PatientClient
from standby import PrimaryAndStandby
from wait import until

PAYMENTS = int(os.environ.get("FINALITY_STANDBY_PAYMENTS", "60"))
SEED = int(os.environ.get("FINALITY_STANDBY_SEED", random.SystemRandom().randrange(1, 10**6)))
LOST = 20  # orders created while the asynchronous standby lags behind

WAITING_FOR_THE_STANDBY = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


@pytest.fixture(scope="module")
def place(tmp_path_factory, contract, merchant_server):
    place = PrimaryAndStandby(tmp_path_factory.mktemp("standby"), contract, merchant_server, synchronous=True)
    yield place
    place.clean_up()


@pytest.fixture(scope="module")
def asked_without_standby(place):
    """Creates an order while the standby is disconnected and the primary's configuration sets synchronous_commit =
    local. Returns whether the order was acknowledged before the standby reconnected, and the order."""
    shop = place.new_shop("alone")
    place.stop_receiving()
    place.primary.sql("ALTER SYSTEM SET synchronous_commit = 'local'", "SELECT pg_reload_conf()")
    with concurrent.futures.ThreadPoolExecutor(1) as client:
        # The commit must wait until the standby reconnects. The timeout is long, because the machine may be slow.
        asked = client.submit(shop.api.post, "/v1/orders", order_body(), expect=201, timeout=PATIENCE_S)
        until(lambda: asked.done() or place.primary.sql(WAITING_FOR_THE_STANDBY) != "0", "the commit waits")
        acknowledged_alone = asked.done()
        place.primary.sql("ALTER SYSTEM RESET synchronous_commit", "SELECT pg_reload_conf()")
        place.receive_again()
        order = shop.api.order(asked.result()["id"])
    place.wait_until_it_receives("streaming sync")
    return acknowledged_alone, order


def test_no_commit_is_acknowledged_before_the_standby_has_it(asked_without_standby):
    acknowledged_alone, order = asked_without_standby
    assert not acknowledged_alone and order["state"] == "pending"


@pytest.fixture(scope="module")
def run(place, asked_without_standby):
    print(f"FINALITY_STANDBY_SEED={SEED} FINALITY_STANDBY_PAYMENTS={PAYMENTS}")
    run = Run(place, [place.new_shop(name) for name in ["hot", "quiet"]], SEED, 1, PAYMENTS)
    run.play()
    return run


def test_the_primary_was_killed_during_the_payments(place, run):
    """The kill happened after the first orders, and the server stores later orders on the new primary without a
    restart."""
    [kill] = run.kills
    print(kill)
    before = place.standby.sql(f"SELECT count(*) FROM orders WHERE created_at < {kill.begin.timestamp() * 1000:.0f}")
    number = PatientClient(run.shops[0].api).post("/v1/orders", order_body())["merchant_order_no"]
    assert kill.what == PrimaryAndStandby.KILLED and int(before) > 0
    assert place.standby.sql(f"SELECT count(*) FROM orders WHERE merchant_order_no = '{number}'") == "1"


def test_the_store_passes_the_audit(place, run):
    """Stops the server gracefully and audits the store on the promoted standby."""
    assert place.stop()["checked"]


def test_an_asynchronous_standby_that_lags_behind_loses_money(tmp_path_factory, contract, merchant_server):
    """After the failover, acknowledged and paid orders are missing. An audit of the store cannot detect the loss,
    because the lost transactions left no trace on the standby."""
    place = PrimaryAndStandby(tmp_path_factory.mktemp("behind"), contract, merchant_server, synchronous=False)
    try:
        shop = place.new_shop("trusting")
        client = PatientClient(shop.api)
        kept = client.post("/v1/orders", order_body())["id"]
        until(lambda: place.standby.sql("SELECT count(*) FROM orders") == "1", "the standby has the first order", 30)

        place.stop_receiving()
        pays = {"channel": "sandbox", "scenario": "pays"}
        lost = [client.post("/v1/orders", order_body(payment=pays))["id"] for _ in range(LOST)]
        for order_id in lost:
            client.get_when(f"/v1/orders/{order_id}", lambda order: order["state"] == "succeeded", "is paid")
        place.fail_over()

        made = client.repeat("/v1/orders", order_body(), str(uuid.uuid4()))
        assert made.status == 201, "the server uses the new primary"
        assert shop.api.order(kept)["state"] == "pending"
        assert [shop.api.get(f"/v1/orders/{order_id}", expect=404)["code"] for order_id in lost] == ["not_found"] * LOST
        paid = sum(trade["state"] == "paid" for trade in place.sandbox.all_trades())
        assert paid == LOST, "the channel has the payers' money"
        assert place.stop()["checked"]
    finally:
        place.clean_up()

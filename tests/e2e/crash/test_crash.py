"""Crash rounds (crash_rounds.py) with one server: each round kills the server, the sandbox, or both with `kill -9`. The
checks are in crash_checks.py.

FINALITY_CRASH_ROUNDS and FINALITY_CRASH_PAYMENTS set the numbers of rounds and of payments per round.
FINALITY_CRASH_SEED repeats the random choices of a run.
"""

import os
import random

import pytest

from conftest import FAST
from crash_checks import (ended, wrong_ends,  # noqa: F401
                          test_every_story_was_completed, test_every_order_has_an_allowed_end,
                          test_money_is_equal_on_both_sides, test_every_number_has_one_order,
                          test_refunds_have_the_expected_end,
                          test_a_repeated_request_gets_the_same_response,
                          test_the_same_number_under_another_key_is_the_same_object,
                          test_final_states_did_not_change, test_accounts_match_the_responses,
                          test_wallet_payments_have_the_expected_end, test_the_merchant_was_notified_of_every_event,
                          test_the_responses_form_a_possible_order_of_events)
from crash_rounds import OneServer, Run
from shop import Shop
from wait import until

ROUNDS = int(os.environ.get("FINALITY_CRASH_ROUNDS", "3"))
PAYMENTS = int(os.environ.get("FINALITY_CRASH_PAYMENTS", "60"))
SEED = int(os.environ.get("FINALITY_CRASH_SEED", random.SystemRandom().randrange(1, 10**6)))


@pytest.fixture(scope="module")
def module_server(start_server):
    return start_server("crash", FAST)


@pytest.fixture(scope="module")
def run(history, contract, module_server, merchant_server):
    print(f"FINALITY_CRASH_SEED={SEED} FINALITY_CRASH_ROUNDS={ROUNDS} FINALITY_CRASH_PAYMENTS={PAYMENTS}")
    shop = Shop.of_demo(contract, module_server, merchant_server)
    run = Run(OneServer(module_server), [shop], SEED, ROUNDS, PAYMENTS)
    run.play()
    return run


def test_the_kills_hit(run):
    """The kills interrupted some requests of every client, but not all."""
    killed = OneServer.KILLED
    assert [kill.what for kill in run.kills] == [killed[number % len(killed)] for number in range(ROUNDS)]
    assert len(run.played) == ROUNDS * PAYMENTS
    for client in run.clients:
        repeated = [answer for answer in client.answers if answer.attempts > 1]
        assert repeated and len(repeated) < len(client.answers)


def test_the_store_keeps_every_invariant(module_server, run):
    """Must be the last test of the module: stops the server gracefully and audits its store."""
    sandbox = run.place.sandbox
    module_server.stop()
    until(lambda: not sandbox.is_up(), "the sandbox is down", timeout=10)
    assert module_server.verify()["checked"]

"""Payments of every kind, transfers, holds and wallet payments, interrupted by `kill -9` of the server, of the sandbox,
or of both, in every round. crash_checks.py has the checks.

FINALITY_CRASH_ROUNDS and FINALITY_CRASH_PAYMENTS set the size; FINALITY_CRASH_SEED repeats a run's random choices.
"""

import os
import random

import pytest

from conftest import FAST
from crash_checks import (ended, wrong_ends,  # noqa: F401
                          test_every_story_was_told_to_its_end, test_every_order_ends_right,
                          test_money_is_equal_on_both_sides, test_every_number_has_one_order, test_refunds_end_right,
                          test_a_repeated_request_is_answered_as_before,
                          test_the_same_number_under_another_key_is_the_same_thing,
                          test_what_was_final_once_has_stayed_so, test_accounts_have_what_the_answers_say,
                          test_wallet_payments_end_right, test_the_merchant_was_told_of_everything,
                          test_the_answers_are_one_possible_order_of_events)
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
    """Each kill interrupted some requests, but not all."""
    killed = OneServer.KILLED
    assert [kill.what for kill in run.kills] == [killed[number % len(killed)] for number in range(ROUNDS)]
    assert len(run.told) == ROUNDS * PAYMENTS
    for client in run.clients:
        repeated = [answer for answer in client.answers if answer.attempts > 1]
        assert repeated and len(repeated) < len(client.answers)


def test_the_store_keeps_every_invariant(module_server, run):
    """Runs last in this module: stops the server in order and audits its store."""
    sandbox = run.place.sandbox
    module_server.stop()
    until(lambda: not sandbox.is_up(), "the sandbox is down", timeout=10)
    assert module_server.verify()["checked"]

"""Crash rounds (crash_rounds.py) with two nodes, which serve the same merchants concurrently. Each round kills one node
with `kill -9`, and crashes and restarts the database. The checks are in crash_checks.py. Then both nodes receive
requests about the same authorization at the same time (hold_races.py).

The module starts its own PostgreSQL server. FINALITY_NODES_ROUNDS and FINALITY_NODES_PAYMENTS set the numbers of rounds
and of payments per round, FINALITY_NODES_RACES the number of races of each kind. FINALITY_NODES_SEED repeats the random
choices of a run.
"""

import concurrent.futures
import os
import random

import pytest

from crash_checks import (ended, wrong_ends,  # noqa: F401
                          test_every_story_was_completed, test_every_order_has_an_allowed_end,
                          test_money_is_equal_on_both_sides, test_every_number_has_one_order,
                          test_refunds_have_the_expected_end,
                          test_a_repeated_request_gets_the_same_response,
                          test_the_same_number_under_another_key_is_the_same_object,
                          test_final_states_did_not_change, test_accounts_match_the_responses,
                          test_wallet_payments_have_the_expected_end, test_the_merchant_was_notified_of_every_event,
                          test_the_responses_form_a_possible_order_of_events)
from crash_rounds import Run
from hold_races import RACES, play, play_one_number
from two_nodes import TAKEN_OVER_S, TwoNodes

ROUNDS = int(os.environ.get("FINALITY_NODES_ROUNDS", "1"))
PAYMENTS = int(os.environ.get("FINALITY_NODES_PAYMENTS", "150"))
RACES_OF_A_KIND = int(os.environ.get("FINALITY_NODES_RACES", "12"))
PLAYERS = 6  # races at the same time
SEED = int(os.environ.get("FINALITY_NODES_SEED", random.SystemRandom().randrange(1, 10**6)))


@pytest.fixture(scope="module")
def nodes(tmp_path_factory, contract, merchant_server):
    nodes = TwoNodes(tmp_path_factory.mktemp("nodes"), contract, merchant_server)
    yield nodes
    nodes.clean_up()


@pytest.fixture(scope="module")
def run(history, nodes):
    print(f"FINALITY_NODES_SEED={SEED} FINALITY_NODES_ROUNDS={ROUNDS} FINALITY_NODES_PAYMENTS={PAYMENTS}")
    shops = [nodes.new_shop(name) for name in ["hot", "quiet 1", "quiet 2", "quiet 3"]]
    run = Run(nodes, shops, SEED, ROUNDS, PAYMENTS)
    run.play()
    return run


def test_the_kills_hit(run):
    """Each round killed a node and the database. The kills interrupted some requests, but not all."""
    print(*run.kills, sep="\n")
    print("taken over after (s):", run.place.taken_over, "in flight, and due again after (ms):", run.place.due_again)
    assert len(run.kills) == 2 * ROUNDS and len(run.place.taken_over) == ROUNDS
    for count, due_after_ms in run.place.due_again:
        assert count > 0 and due_after_ms <= TAKEN_OVER_S * 1000
    assert len(run.played) == ROUNDS * PAYMENTS
    for clients in [run.clients, [run.accounts.client]]:
        attempts = [answer.attempts for client in clients for answer in client.answers]
        assert min(attempts) == 1 < max(attempts)


# Races of both nodes, after the checks of the crash rounds.


@pytest.fixture(scope="module")
def racing_shop(nodes):
    shop = nodes.new_shop("races")
    nodes.other_shops.append(shop)
    return shop


def play_all(one_race):
    """Calls `one_race(place)` for each race of a kind, several at the same time. Returns the results."""
    with concurrent.futures.ThreadPoolExecutor(PLAYERS) as players:
        return list(players.map(one_race, range(RACES_OF_A_KIND)))


@pytest.mark.parametrize("race", RACES, ids=lambda race: race.name)
def test_a_race_about_an_authorization_has_one_outcome(racing_shop, race):
    won = play_all(lambda place: play(racing_shop, race, place, RACES_OF_A_KIND))
    print(f"the capture was accepted in {sum(won)} of {len(won)} races against: {race.name}")


def test_a_capture_that_both_nodes_receive_is_made_once(racing_shop):
    play_all(lambda place: play_one_number(racing_shop, place))


def test_the_store_passes_the_audit(nodes, run):
    """Must be the last test of the module: stops the nodes gracefully and audits the store."""
    assert nodes.stop()["checked"]

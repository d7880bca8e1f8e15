"""Checks after the crash rounds of crash_rounds.py. A module that imports these tests must define the fixture `run`.

No acknowledged result may be missing, no request may take effect twice, and every order must reach a final result that
its scenario allows.
"""

import collections
import concurrent.futures
import datetime
import traceback
import uuid

import pytest

from api import is_at_rest
from authorizations import check_hold_money, is_nothing_held
from crash_accounts import STORIES as ACCOUNT_STORIES
from crash_stories import Played
from history_recorder import check_history
from scenarios import cases_of, check_money, check_webhooks
from shop import ENDED, captures_of
from wait import until

CHECKERS = 8
NUMBERED = ["/v1/transfers", "/v1/transfers/reverse", "/v1/holds", "/v1/orders", "/v1/refunds"]
# An interrupted request is retried 1.5 s after its deadline of 8 or 15 s. Two kills may interrupt the same request.
END_S = 60.0


@pytest.fixture(scope="module")
def wrong_ends(run):
    """Waits until no work is open. Returns pairs of an order whose final result is not allowed, and the reason. Checks
    twice: the first check waits until payments that a kill delayed have been sent, and the second until their trades
    have their last change. Notifications that were undeliverable while the server was down arrive meanwhile, and may
    add a reversal or a case to a final order."""
    played = [played for played in run.played if not played.stuck]
    for _ in ["until every payment has been sent", "until its later events have arrived"]:
        until(run.place.sandbox.is_quiet, "the sandbox has no scheduled event or notification", 2 * END_S, every=0.5)
        wrong = wrong_of(played, lambda each: wait_for_end(run, each))
    return wrong


@pytest.fixture(scope="module")
def ended(run, wrong_ends):
    """The orders with an allowed final result. More than half of all orders must have one, otherwise the later checks
    would cover too little."""
    found = [played for played in run.played if played.end]
    assert len(found) > len(run.played) // 2
    return found


def wrong_of(things, check):
    """Runs `check` on all items concurrently. Returns pairs of a failed item and the reason."""
    def wrong_about(thing):
        try:
            check(thing)
        except AssertionError as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            return f"{thing}: {error or place.line} ({place.name}:{place.lineno})"
        return None

    with concurrent.futures.ThreadPoolExecutor(CHECKERS) as checkers:
        return [(thing, why) for thing, why in zip(things, checkers.map(wrong_about, things)) if why]


def check_all(run, things, check):
    fail_with(run, wrong_of(things, check), len(things))


def fail_with(run, wrong, total):
    """If `wrong` is not empty, fails the test with all reasons and the timelines of up to three orders."""
    if wrong:
        stories = [run.story_of(thing) for thing, _ in wrong[:3] if isinstance(thing, Played)]
        pytest.fail("\n".join([f"seed {run.seed}: {len(wrong)} of {total} are wrong", *(why for _, why in wrong),
                               *map(str, run.kills), *stories]), pytrace=False)


def test_every_story_was_completed(run):
    """Every scenario ran to its end: each request got a response, and each payer got a URL to pay at."""
    fail_with(run, [(played, played.stuck) for played in run.played if played.stuck], len(run.played))
    played = run.accounts.completed
    print("account stories completed:", dict(played))
    fail_with(run, [(why, why) for why in run.accounts.stuck], played.total())
    assert all(played[story.__name__] >= run.rounds for story in ACCOUNT_STORIES), played


def test_every_order_has_an_allowed_end(run, wrong_ends, ended):
    fail_with(run, wrong_ends, len(run.played))
    assert all(trade["state"] != "waiting" for trade in run.place.sandbox.all_trades())
    assert all(hold["state"] not in {"waiting", "held"} for hold in run.place.sandbox.all_authorizations())
    by_crash = collections.Counter((played.story.name, played.end.why) for played in ended if played.end.why)
    print("ended differently because of a crash:", dict(by_crash))


def wait_for_end(run, played):
    def ended():
        refunds = played.shop.api.all("/v1/refunds", order=played.order_id)
        order = played.shop.api.order(played.order_id)  # read after the refunds, so it includes their effect
        if not is_at_rest(order) or any(each["state"] not in ENDED | {"under_review"}
                                        for each in [*attempts_of(order), *captures_of(order), *refunds]):
            return None
        end = next((end for end in played.ends if is_at(played.shop, order, refunds, end)), None)
        return (order, end) if end else None

    played.order, played.end = until(ended, f"{played} has an allowed end", END_S, every=0.2)
    assert not played.end.why or was_open_at_a_kill(run, played) or was_delayed(played) \
        or had_late_result(played), f"this end requires a crash: {played.end}"


def is_at(shop, order, refunds, end):
    """Returns whether the order has this final result. Compares only the number of cases; check_webhooks checks their
    kinds."""
    reversals = [refund["amount"] for refund in refunds if refund["kind"] == "reversal"]
    return (order["state"] == end.state and reversals == [order["amount"]] * end.reversals
            and len(cases_of(shop, order)) == len(end.cases)
            and (end.trades or not any(shop.sandbox.trades_of(payment) for payment in order["payments"]))
            and (end.hold is None or is_hold_at(shop, order, end.hold)))


def is_hold_at(shop, order, hold):
    """Returns whether the order's only authorization has this final result, and nothing is held at the channel."""
    [authorization] = order["authorizations"]
    found = (authorization["state"], authorization.get("end_reason", ""), order["paid_amount"])
    return found == hold and is_nothing_held(authorization, shop.sandbox.holds_of(authorization))


def attempts_of(order):
    """Returns the payments of the order, or its authorizations if it has manual capture."""
    return [*order["payments"], *order.get("authorizations", [])]


# In some scenarios the channel creates a second event 300 ms after a first event. A kill between the two loses
# the notification of the second event. An order therefore counts as open until SEQUEL after its last recorded event.
SEQUEL = datetime.timedelta(seconds=1)


def was_open_at_a_kill(run, played):
    last = max(time_of(event["at"]) for event in played.shop.api.all("/v1/events", object=played.order_id))
    end = last + SEQUEL
    begin = time_of(played.order["created_at"])
    return any(begin <= kill.end and kill.begin <= end for kill in run.kills)


def was_delayed(played):
    """Returns whether the circuit breaker of a channel delayed a request of the order. Failures of other orders can
    open the breaker."""
    return any(item["detail"].get("code") == "channel_down" for item in played.shop.api.timeline(played.order_id))


def had_late_result(played):
    """Returns whether a result arrived more than 300 ms after its request. Results may then have arrived out of
    order."""
    late = datetime.timedelta(milliseconds=300)
    return any(time_of(item["at"]) - time_of(item["detail"]["asked_at"]) > late
               for item in played.shop.api.timeline(played.order_id) if item["detail"].get("asked_at"))


def time_of(text):
    return datetime.datetime.fromisoformat(text)


def test_money_is_equal_on_both_sides(run, ended):
    ledger = run.place.sandbox.all_authorizations(), run.place.sandbox.all_trades()
    trades = collections.defaultdict(list)
    for trade in ledger[1]:
        trades[trade["channel"], trade["out_trade_no"]].append(trade)

    def trades_of(row):
        return trades[row["channel"], row["out_trade_no"]]

    def check(played):
        order = played.shop.api.order(played.order_id)
        assert settled(order) == settled(played.order), "the order has changed since it was final"
        if played.end.hold:
            check_hold_money(played.shop, order, ledger)
            check_captures(played, order)
        else:
            check_money(played.shop, order, played.end.net, trades_of)
        assert sum(each["state"] in {"succeeded", "captured"} for each in attempts_of(order)) <= 1
        assert len(attempts_of(order)) == played.story.attempts

    check_all(run, ended, check)
    orders = [order for shop in [*run.shops, *run.place.other_shops] for order in shop.api.all("/v1/orders")]
    assert set(trades) <= numbers_at_channel(orders), "the sandbox has trades without a payment or capture"
    holds = {(hold["channel"], hold["out_order_no"]) for hold in run.place.sandbox.all_authorizations()}
    assert holds <= {(each["channel"], each["out_trade_no"]) for order in orders
                     for each in order.get("authorizations", [])}, "the sandbox has holds without an authorization"


def numbers_at_channel(orders):
    """Returns pairs of channel and out_trade_no of all payments and captures."""
    payments = {(payment["channel"], payment["out_trade_no"]) for order in orders for payment in order["payments"]}
    return payments | {(each["channel"], capture["out_trade_no"]) for order in orders
                       for each in order.get("authorizations", []) for capture in each["captures"]}


def check_captures(played, order):
    """Checks that each request captured at most once, and that no capture exists that the scenario does not contain."""
    story, captures = played.story, captures_of(order)
    assert [capture["origin"] for capture in captures] == [story.origin] * len(captures), captures
    assert [capture["state"] for capture in captures].count("failed") == story.failed, captures
    requested = [f"{played.merchant_order_no}-{place}" for place in range(len(story.captures))]
    numbers = [capture["merchant_capture_no"] for capture in captures if "merchant_capture_no" in capture]
    assert sorted(numbers) == requested, captures
    assert len(captures) == max(len(requested), int(story.paid > 0)), captures


def settled(order):
    """Returns the fields of a final order that must not change. A late message of the channel may change the version. A
    late payment of a closed order is reversed, so only the difference of paid and reversed amount stays the same."""
    late = ("version", "paid_amount", "reversed_amount")
    payments = [{name: value for name, value in payment.items() if name not in late}
                | {"kept": payment["paid_amount"] - payment["reversed_amount"]} for payment in order["payments"]]
    return without_versions(order | {"payments": payments})


def without_versions(value):
    """Returns the JSON value without the fields `version` of all its objects."""
    if isinstance(value, dict):
        return {name: without_versions(each) for name, each in value.items() if name != "version"}
    return [without_versions(each) for each in value] if isinstance(value, list) else value


def test_every_number_has_one_order(run):
    wallet = run.accounts.orders
    orders = {order["id"]: order["merchant_order_no"] for shop in run.shops for order in shop.api.all("/v1/orders")
              if order["id"] not in wallet}
    assert orders == {played.order_id: played.merchant_order_no for played in run.played}
    assert len(set(orders.values())) == run.rounds * run.payments


def test_refunds_have_the_expected_end(run, ended):
    def check(played):
        found = [played.shop.api.get(f"/v1/refunds/{refund_id}") for refund_id in played.refund_ids]
        assert [refund["state"] for refund in found] == [state for _, state in played.story.refunds]
        listed = [refund["id"] for refund in played.shop.api.all("/v1/refunds", order=played.order_id)
                  if refund["kind"] == "refund"]
        assert listed == played.refund_ids[::-1]
        returned = sum(refund["amount"] for refund in found if refund["state"] == "succeeded")
        assert played.order["refunded_amount"] == returned

    check_all(run, [played for played in ended if played.refund_ids], check)


def test_a_repeated_request_gets_the_same_response(run, ended):
    """A repeated request returns the first response on every node and has no effect."""
    def check(asked):
        client, first = asked
        again = client.repeat(first.path, first.body, first.key)
        assert again.replayed and again.status == first.status, again
        assert [again.json.get(name) for name in ["id", "code"]] == [first.json.get(name) for name in ["id", "code"]]
        if again.json != first.json and "id" in again.json:
            assert again.json == current_object(client, again.json), "neither the first response nor the current object"

    check_all(run, [(node, first) for client in run.clients for first in client.answers for node in client.nodes],
              check)


def test_the_same_number_under_another_key_is_the_same_object(run, ended):
    """A request with a new Idempotency-Key but the same reference, merchant_order_no, merchant_refund_no or
    merchant_capture_no returns the existing object and moves no money."""
    def check(asked):
        client, first = asked
        again = client.repeat(first.path, first.body, str(uuid.uuid4()))
        assert not again.replayed and again.json.get("id") == first.json.get("id"), again
        assert again.status == (200 if first.status == 201 else first.status), again
        assert again.json.get("code") == first.json.get("code"), again
        assert "id" not in again.json or again.json == current_object(client, again.json), again

    account_client = run.accounts.client
    numbered = [(account_client, answer) for answer in account_client.answers if answer.path in NUMBERED]
    captures = [(client, answer) for client in run.clients for answer in client.answers
                if answer.path.endswith("/captures")]
    assert captures
    check_all(run, numbered + captures, check)


def current_object(client, thing):
    found = client.api.get(f"/v1/{thing['object']}s/{thing['id']}")
    return {name: value for name, value in found.items() if name in thing or name != "receipts"}


def test_final_states_did_not_change(run, ended):
    def check(answered):
        client, answer = answered
        assert answer.json["state"] == current_object(client, answer.json)["state"]

    final = ENDED | {"refused", "reversed", "voided", "expired"}
    check_all(run, [(client, answer) for client in run.clients for answer in client.answers
                    if "id" in answer.json and answer.json["state"] in final], check)


def test_accounts_match_the_responses(run, ended):
    accounts = run.accounts
    until(lambda: all(accounts.bank.account(each)["held"] == 0 for each in accounts.all_accounts),
          "no hold is open", END_S)
    accounts.check()
    for hold_id, state in accounts.holds.items():
        assert accounts.bank.get_hold({"id": hold_id})["state"] == state, hold_id


def test_wallet_payments_have_the_expected_end(run, ended):
    shop = run.accounts.shop

    def check(order_id):
        order, (state, parts) = shop.api.order(order_id), run.accounts.orders[order_id]
        assert order["state"] == state and order["refunded_amount"] == sum(parts), order
        assert [payment["state"] for payment in order["payments"]] == [state], order
        check_webhooks(shop, order, refunds=["refund.succeeded"] * len(parts), timeout=END_S)

    check_all(run, list(run.accounts.orders), check)


def test_the_merchant_was_notified_of_every_event(run, ended):
    def check(played):
        others = [f"refund.{state}" for _, state in played.story.refunds] + notices_of_deadline(played)
        check_webhooks(played.shop, played.order, played.end.reversals, played.end.cases,
                       [*others, *played.end.webhooks], END_S)

    check_all(run, ended, check)


def notices_of_deadline(played):
    """Returns the webhooks about a coming capture deadline. A server that is down at that time does not send one."""
    events = [event["event"] for authorization in played.order.get("authorizations", [])
              for event in played.shop.api.all("/v1/events", object=authorization["id"])]
    assert events.count("expiring") <= int("capture_within" in played.story.fields), events
    return ["authorization.expiring"] * events.count("expiring")


def test_the_responses_form_a_possible_order_of_events(run, history):
    """`finality history check` finds an order of events that explains all responses, including the responses to the
    checks above."""
    report = check_history(history)
    assert report["unanswered"] > 0 and report["accounts"] > len(run.accounts.all_accounts) / 2
    assert report["operations"] > run.rounds * run.payments

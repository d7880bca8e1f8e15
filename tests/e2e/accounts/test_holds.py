"""Holds: creation, full and partial posting, voiding, expiry, and invalid requests."""

import datetime
import uuid

import pytest

from account_fixtures import hold_body
from wait import until
from wrong_input import AMOUNTS, CURRENCIES, INTEGERS, NO_ACCOUNTS, TEXTS, cases_of, check_wrong

UNKNOWN_ACCOUNT = {"id": "acc_0000000000001"}
UNKNOWN_HOLD = {"id": "hld_0000000000001"}
WRONG_FIELDS = {
    "account": NO_ACCOUNTS,
    "credit_account": NO_ACCOUNTS,
    "amount": AMOUNTS,
    "currency": CURRENCIES,
    "source": [*TEXTS, "s" * 129, "wallet"],
    "reference": [*TEXTS, "r" * 129],
    "expires_in": [*INTEGERS, 0, -1, 2_592_001, 10**30],
    "lock_token": TEXTS,
    "colour": ["red", None],
}


def post(bank, body, expect=201):
    return bank.api.post("/v1/holds", body, expect=expect)


def named(bank, reference, source="api"):
    return bank.api.get("/v1/holds", params={"source": source, "reference": reference})["data"]


def time_of(text):
    return datetime.datetime.fromisoformat(text)


def expired_hold(bank, alice, bob, amount=400):
    """Creates a hold and returns it after it has expired."""
    hold = bank.hold(alice, bob, amount, expires_in=1)
    until(lambda: bank.get_hold(hold)["state"] == "expired", "the hold has expired", timeout=10)
    return hold


# Tests of creating holds.


def test_money_is_set_aside_and_does_not_move(bank, alice, bob):
    body = hold_body(alice, bob, 400, expires_in=60)
    hold = post(bank, body)
    assert hold["id"].startswith("hld_") and hold["object"] == "hold" and hold["state"] == "held"
    assert {name: hold[name] for name in body if name != "expires_in"} == {
        name: value for name, value in body.items() if name != "expires_in"}
    assert hold["posted_amount"] == 0 and hold["source"] == "api"
    account = bank.account(alice)
    assert (account["balance"], account["held"], account["available"]) == (1000, 400, 600)
    assert len(bank.check(alice, balance=1000, held=400)) == 1 and bank.entries(bob) == []
    assert bank.get_hold(hold) == hold == named(bank, body["reference"])[0]


def test_a_hold_expires_after_expires_in(bank, alice, bob):
    begin = datetime.datetime.now(datetime.timezone.utc)
    hold = bank.hold(alice, bob, expires_in=2_592_000)
    end = datetime.datetime.now(datetime.timezone.utc)
    millisecond = datetime.timedelta(milliseconds=1)
    whole = datetime.timedelta(seconds=2_592_000)
    assert begin - millisecond <= time_of(hold["expires_at"]) - whole <= end + millisecond


def test_no_more_is_set_aside_than_is_available(bank, alice, bob):
    bank.hold(alice, bob, 1000)
    body = hold_body(alice, bob, 1)
    assert post(bank, body, expect=422)["code"] == "insufficient_balance"
    assert named(bank, body["reference"]) == []
    bank.transfer(bank.till(), alice, 1)
    post(bank, body)  # succeeds, because the refused hold was not stored
    bank.check(alice, balance=1001, held=1001)


def test_the_overdraft_can_be_set_aside(bank, bob):
    alice = bank.open(overdraft=500)
    hold = bank.hold(alice, bob, 500)
    assert bank.hold(alice, bob, 1, expect=422)["code"] == "insufficient_balance"
    bank.post_hold(hold)
    bank.check(alice, balance=-500, held=0)


@pytest.mark.parametrize("code, prepare", [
    ("account_frozen", lambda bank, alice, bob: bank.change(alice, "freeze")),
    ("account_closed", lambda bank, alice, bob: bank.change(bob, "close"))])
def test_a_refused_hold_leaves_no_trace(bank, alice, bob, code, prepare):
    prepare(bank, alice, bob)
    body, before = hold_body(alice, bob), bank.account(alice)
    assert post(bank, body, expect=422)["code"] == code
    assert named(bank, body["reference"]) == [] and bank.account(alice) == before


@pytest.mark.parametrize("currencies", [("USD", "CNY"), ("CNY", "USD"), ("USD", "USD")])
def test_another_currency_than_the_accounts_is_refused(bank, currencies):
    account, credit = (bank.open(currency=each, overdraft=1000) for each in currencies)
    assert bank.hold(account, credit, expect=422)["code"] == "currency_mismatch"
    bank.check(account, balance=0, held=0)


# Tests that a reference has at most one hold.


def test_the_same_reference_is_the_same_hold(bank, alice, bob):
    body = hold_body(alice, bob, 400)
    first = post(bank, body)
    assert post(bank, body, expect=200) == first
    posted = bank.post_hold(first)
    assert post(bank, body, expect=200) == posted
    bank.check(alice, balance=600, held=0)


@pytest.mark.parametrize("change", [{"amount": 401}, {"currency": "USD"}, {"expires_in": 61},
                                    {"account": UNKNOWN_ACCOUNT["id"]}, {"credit_account": UNKNOWN_ACCOUNT["id"]}],
                         ids=str)
def test_the_same_reference_with_other_content_is_a_conflict(bank, alice, bob, change):
    body = hold_body(alice, bob, 400, expires_in=60)
    post(bank, body)
    assert post(bank, body | change, expect=409)["code"] == "reference_conflict"
    bank.check(alice, balance=1000, held=400)


def test_a_reference_belongs_to_one_source_and_one_merchant_and_to_holds_only(bank, other, alice, bob):
    body = hold_body(alice, bob, 100)
    first, second = post(bank, body), post(bank, body | {"source": "shop"})
    theirs = other.hold(other.till(), other.open(), 100, reference=body["reference"])
    bank.transfer(alice, bob, 100, reference=body["reference"])
    assert len({first["id"], second["id"], theirs["id"]}) == 3
    assert named(bank, body["reference"], "shop") == [second]
    bank.check(alice, balance=900, held=200)


def test_responses_are_replayed_under_their_keys(bank, alice, bob):
    def ask(path, body, key):
        response = bank.api.request("POST", path, json=body, headers={"Idempotency-Key": key})
        return response.status_code, response.content, "Idempotent-Replayed" in response.headers

    body, keys = hold_body(alice, bob, 400), [str(uuid.uuid4()) for _ in range(3)]
    status, content, replayed = ask("/v1/holds", body, keys[0])
    assert (status, replayed) == (201, False) and ask("/v1/holds", body, keys[0]) == (201, content, True)
    path = f"/v1/holds/{named(bank, body['reference'])[0]['id']}/post"
    status, content, _ = ask(path, {"amount": 401}, keys[1])
    assert status == 409 and ask(path, {"amount": 401}, keys[1]) == (409, content, True)
    status, content, _ = ask(path, {"amount": 399}, keys[2])
    assert status == 200 and ask(path, {"amount": 399}, keys[2]) == (200, content, True)
    bank.check(bob, balance=399)


# Tests of posting holds.


def test_a_hold_is_posted_whole(bank, alice, bob):
    hold = bank.hold(alice, bob, 400)
    posted = bank.post_hold(hold)
    assert posted["state"] == "posted" and posted["posted_amount"] == posted["amount"] == 400
    debit, credit = bank.check(alice, balance=600, held=0)[0], bank.check(bob, balance=400)[0]
    for entry, amount in (debit, -400), (credit, 400):
        assert (entry["type"], entry["amount"], entry["source"], entry["reference"], entry["source_ip"]) == (
            "hold_posted", amount, "api", hold["reference"], "127.0.0.1")
        assert "transfer" not in entry


@pytest.mark.parametrize("amount", [1, 399, 400])
def test_the_unposted_part_is_released(bank, alice, bob, amount):
    hold = bank.hold(alice, bob, 400)
    posted = bank.post_hold(hold, amount=amount)
    assert posted["state"] == "posted" and posted["posted_amount"] == amount and posted["amount"] == 400
    bank.check(alice, balance=1000 - amount, held=0)
    bank.check(bob, balance=amount)


def test_no_more_is_posted_than_is_held(bank, alice, bob):
    hold = bank.hold(alice, bob, 400)
    problem = bank.post_hold(hold, amount=401, expect=409)
    assert problem["code"] == "amount_exceeds_hold" and problem["param"] == "amount"
    assert bank.get_hold(hold) == hold
    bank.check(alice, balance=1000, held=400)


@pytest.mark.parametrize("state, end", [
    ("posted", lambda bank, hold: bank.post_hold(hold)), ("voided", lambda bank, hold: bank.void_hold(hold))])
def test_a_hold_ends_once(bank, alice, bob, state, end):
    hold = bank.hold(alice, bob, 400)
    ended = end(bank, hold)
    before = bank.account(alice)
    for again in [bank.post_hold(hold, expect=409), bank.post_hold(hold, amount=1, expect=409),
                  bank.post_hold(hold, amount=500, expect=409), bank.void_hold(hold, expect=409)]:
        assert again["code"] == "hold_not_open" and again["state"] == state, again
    assert bank.get_hold(hold) == ended and bank.account(alice) == before


def test_a_hold_of_a_frozen_account_is_not_posted_and_stays_open(bank, alice, bob):
    hold = bank.hold(alice, bob, 400)
    bank.change(alice, "freeze")
    assert bank.post_hold(hold, expect=422)["code"] == "account_frozen"
    assert bank.get_hold(hold) == hold
    bank.change(alice, "unfreeze")
    bank.post_hold(hold)
    bank.check(alice, balance=600, held=0)


def test_a_hold_of_a_frozen_account_is_voided(bank, alice, bob):
    hold = bank.hold(alice, bob, 400)
    bank.change(alice, "freeze")
    assert bank.void_hold(hold)["state"] == "voided"
    bank.check(alice, balance=1000, held=0)


def test_a_frozen_account_is_paid_by_a_hold(bank, alice, bob):
    hold = bank.hold(alice, bob, 400)
    bank.change(bob, "freeze")
    bank.post_hold(hold)
    bank.check(bob, balance=400)


def test_a_closed_account_is_not_paid_by_a_hold(bank, alice, bob):
    hold = bank.hold(alice, bob, 400)
    bank.change(bob, "close")
    assert bank.post_hold(hold, expect=422)["code"] == "account_closed"
    assert bank.get_hold(hold) == hold
    bank.void_hold(hold)
    bank.check(alice, balance=1000, held=0)


# Tests of voiding and expiry.


def test_a_voided_hold_releases_the_money(bank, alice, bob):
    hold = bank.hold(alice, bob, 400)
    voided = bank.void_hold(hold)
    assert voided["state"] == "voided" and voided["posted_amount"] == 0
    assert len(bank.check(alice, balance=1000, held=0)) == 1 and bank.entries(bob) == []


def test_an_open_hold_expires_automatically(bank, alice, bob):
    hold = expired_hold(bank, alice, bob)
    now = bank.get_hold(hold)
    assert now["posted_amount"] == 0 and now["expires_at"] == hold["expires_at"]
    for again in [bank.post_hold(hold, expect=409), bank.void_hold(hold, expect=409)]:
        assert again["code"] == "hold_not_open" and again["state"] == "expired"
    assert len(bank.check(alice, balance=1000, held=0)) == 1
    events = bank.api.all("/v1/events", object=hold["id"])[::-1]
    assert [(event.get("from"), event["to"]) for event in events] == [(None, "held"), ("held", "expired")]
    assert time_of(events[-1]["at"]) >= time_of(hold["expires_at"])


def test_a_hold_is_not_posted_after_its_expiry(bank, alice, bob):
    """Posts 20 holds at about the time of their expiry. A hold is posted only if the request precedes the expiry."""
    holds = [bank.hold(alice, bob, 1, expires_in=1) for _ in range(20)]
    answers = []

    def try_one():
        hold = holds[len(answers)]
        answers.append(bank.api.request("POST", f"/v1/holds/{hold['id']}/post"))
        return len(answers) == len(holds)

    until(try_one, "every hold was posted", timeout=10, every=0.08)
    ends = [bank.get_hold(hold) for hold in holds]
    assert {answer.status_code for answer in answers} == {200, 409}
    for answer, hold in zip(answers, ends):
        assert hold["state"] == ("posted" if answer.status_code == 200 else "expired")
        last = bank.api.get("/v1/events", params={"object": hold["id"], "limit": 1})["data"][0]
        assert (last["at"] < hold["expires_at"]) == (hold["state"] == "posted"), (last, hold)
        assert answer.status_code == 200 or answer.json()["code"] == "hold_not_open"
    posted = sum(hold["state"] == "posted" for hold in ends)
    bank.check(bob, balance=posted)
    bank.check(alice, balance=1000 - posted, held=0)


def test_the_reference_of_an_expired_hold_is_taken(bank, alice, bob):
    body = hold_body(alice, bob, 400, expires_in=1)
    hold = post(bank, body)
    until(lambda: bank.get_hold(hold)["state"] == "expired", "the hold has expired", timeout=10)
    assert post(bank, body, expect=200)["state"] == "expired"
    bank.check(alice, balance=1000, held=0)


def test_holds_of_frozen_and_locked_accounts_expire(bank, bob):
    frozen, locked = bank.open(balance=100), bank.open(balance=100)
    holds = [bank.hold(account, bob, 100, expires_in=1) for account in (frozen, locked)]
    bank.change(frozen, "freeze")
    bank.lock(locked, ttl=600)
    until(lambda: all(bank.get_hold(hold)["state"] == "expired" for hold in holds), "both have expired", timeout=10)
    assert [bank.account(each)["available"] for each in (frozen, locked)] == [100, 100]


# Tests of reading and listing holds.


def test_the_holds_of_an_account(bank, bob):
    alice = bank.open(balance=1000)
    holds = [bank.hold(alice, bob, amount) for amount in range(1, 6)]
    bank.post_hold(holds[0])
    bank.void_hold(holds[1])
    path = "/v1/holds"

    def ids(**query):
        return [hold["id"] for hold in bank.api.all(path, account=alice["id"], **query)]

    assert ids() == [hold["id"] for hold in holds[::-1]]
    assert ids(state="held") == [hold["id"] for hold in holds[:1:-1]]
    assert ids(state="posted") == [holds[0]["id"]] and ids(state="voided") == [holds[1]["id"]]
    assert ids(state="expired") == []
    page = bank.api.get(path, params={"account": alice["id"], "limit": 2})
    assert [hold["id"] for hold in page["data"]] == [holds[4]["id"], holds[3]["id"]] and page["has_more"]
    page = bank.api.get(path, params={"account": alice["id"], "limit": 3, "starting_after": holds[3]["id"]})
    assert [hold["id"] for hold in page["data"]] == [hold["id"] for hold in holds[2::-1]] and not page["has_more"]
    assert bank.api.get(path, params={"account": bob["id"]})["data"] == []
    assert named(bank, "unknown") == []


@pytest.mark.parametrize("query, param", [
    ("", "account"), ("state=held", "account"), ("account=", "account"), ("account=hld_0000000000001", "account"),
    ("account=acc_0000000000001&state=open", "state"), ("account=acc_0000000000001&limit=0", "limit"),
    ("source=api&reference=", "reference"), ("account=acc_0000000000001&colour=red", "colour")])
def test_an_invalid_query(bank, query, param):
    check_wrong(bank.api.request("GET", f"/v1/holds?{query}"), param)


def test_another_merchants_hold_is_not_found(bank, other):
    theirs = other.hold(other.till(), other.open())
    bank.api.get(f"/v1/holds/{theirs['id']}", expect=404)
    bank.post_hold(theirs, expect=404)
    bank.void_hold(theirs, expect=404)
    assert named(bank, theirs["reference"]) == []
    assert other.get_hold(theirs) == theirs


@pytest.mark.parametrize("wrong", [UNKNOWN_HOLD["id"], "hld_", "acc_0000000000001", "1"])
def test_an_unknown_id(bank, wrong):
    hold = {"id": wrong}
    bank.api.get(f"/v1/holds/{wrong}", expect=404)
    bank.post_hold(hold, expect=404)
    bank.void_hold(hold, expect=404)


# Tests of invalid requests.


def test_accounts_that_do_not_exist_and_one_on_both_sides(bank, other, alice, bob):
    body = hold_body(alice, bob)
    for field in ["account", "credit_account"]:
        for unknown in [UNKNOWN_ACCOUNT, other.open()]:
            assert post(bank, body | {field: unknown["id"]}, expect=404)["code"] == "not_found"
    check_wrong(bank.api.request("POST", "/v1/holds", json=body | {"credit_account": alice["id"]}), "credit_account")
    assert named(bank, body["reference"]) == []
    bank.check(alice, balance=1000, held=0)


@pytest.mark.parametrize("field, value", cases_of(WRONG_FIELDS))
def test_a_wrong_field(bank, field, value):
    body = hold_body(bank.till(), UNKNOWN_ACCOUNT) | {field: value}
    check_wrong(bank.api.request("POST", "/v1/holds", json=body), field)


@pytest.mark.parametrize("field", ["account", "credit_account", "amount", "currency", "reference", "expires_in"])
def test_a_missing_field(bank, field):
    body = hold_body(bank.till(), UNKNOWN_ACCOUNT)
    del body[field]
    check_wrong(bank.api.request("POST", "/v1/holds", json=body), field)


@pytest.mark.parametrize("field, value, limit", [("amount", 10**15 + 1, str(10**15)), ("reference", "r" * 129, "128"),
                                                 ("expires_in", 2_592_001, "2592000")])
def test_the_limit_is_named(bank, field, value, limit):
    body = hold_body(bank.till(), UNKNOWN_ACCOUNT) | {field: value}
    assert limit in check_wrong(bank.api.request("POST", "/v1/holds", json=body), field)


@pytest.mark.parametrize("field, value", cases_of({"amount": AMOUNTS, "lock_token": TEXTS, "colour": ["red"]}))
def test_a_wrong_field_of_a_posting(bank, field, value):
    check_wrong(bank.api.request("POST", f"/v1/holds/{UNKNOWN_HOLD['id']}/post", json={field: value}), field)


def test_a_void_refuses_a_body(bank):
    check_wrong(bank.api.request("POST", f"/v1/holds/{UNKNOWN_HOLD['id']}/void", json={"amount": 1}), "amount")

"""Transfers: one per reference, stored even if refused, reversed before or after the posting, and invalid requests."""

import uuid

import pytest

from account_fixtures import transfer_body
from wrong_input import AMOUNTS, CURRENCIES, INTEGERS, NO_ACCOUNTS, TEXTS, cases_of, check_wrong

UNKNOWN_ACCOUNT = {"id": "acc_0000000000001"}
WRONG_FIELDS = {
    "debit_account": NO_ACCOUNTS,
    "credit_account": NO_ACCOUNTS,
    "amount": AMOUNTS,
    "currency": CURRENCIES,
    "source": [*TEXTS, "s" * 129, "wallet"],
    "reference": [*TEXTS, "r" * 129],
    "user": [*TEXTS, "u" * 129],
    "info": [*TEXTS, "i" * 1025],
    "lock_token": TEXTS,
    "colour": ["red", None],
}
WRONG_FIELDS_OF_A_PRICE = {
    "price": [*TEXTS, "p" * 65, "a b", "茶"],
    "quantity": [*INTEGERS, 0, -1, 10**9 + 1, 10**30],
}


def post(bank, body, expect=201):
    return bank.api.post("/v1/transfers", body, expect=expect)


def check_kept(bank, body, code):
    """Checks that the refused transfer is stored under its reference and that a repeated request is refused again.
    Returns the transfer."""
    [kept] = bank.transfers_named(body["reference"])
    assert kept["state"] == "refused" and kept["refusal"] == code, kept
    assert kept["debit_account"] == body["debit_account"] and kept["credit_account"] == body["credit_account"]
    assert bank.api.get(f"/v1/transfers/{kept['id']}") == kept
    return kept


# Tests of posted transfers.


def test_money_moves_once_from_one_account_to_the_other(bank, alice, bob):
    body = transfer_body(alice, bob, 300, user="clerk 7", info="for the tea")
    made = post(bank, body)
    assert made["id"].startswith("trf_") and made["object"] == "transfer" and made["state"] == "posted"
    assert {name: made[name] for name in body} == body and made["source"] == "api" and "refusal" not in made
    assert bank.api.get(f"/v1/transfers/{made['id']}") == made == bank.transfers_named(body["reference"])[0]
    debit, credit = bank.check(alice, balance=700)[0], bank.check(bob, balance=300)[0]
    assert (debit["amount"], credit["amount"]) == (-300, 300)
    for entry in debit, credit:
        assert (entry["type"], entry["transfer"], entry["source"], entry["reference"]) == (
            "transfer", made["id"], "api", body["reference"])
        assert (entry["user"], entry["info"], entry["source_ip"]) == ("clerk 7", "for the tea", "127.0.0.1")
        assert entry["created_at"] == made["created_at"]


def test_the_whole_available_balance_can_be_spent(bank, alice, bob):
    bank.transfer(alice, bob, 1000)
    problem = bank.transfer(alice, bob, 1, expect=422)
    assert problem["code"] == "insufficient_balance"
    bank.check(alice, balance=0)


def test_an_overdraft_can_be_used_to_the_cent(bank, bob):
    alice = bank.open(overdraft=500)
    bank.transfer(alice, bob, 500)
    assert bank.transfer(alice, bob, 1, expect=422)["code"] == "insufficient_balance"
    assert bank.account(alice)["available"] == 0
    bank.check(alice, balance=-500)


def test_held_money_cannot_be_spent(bank, alice, bob):
    hold = bank.hold(alice, bob, 600)
    assert bank.transfer(alice, bob, 401, expect=422)["code"] == "insufficient_balance"
    bank.transfer(alice, bob, 400)
    bank.check(alice, balance=600, held=600)
    bank.void_hold(hold)
    bank.transfer(alice, bob, 600)
    bank.check(alice, balance=0, held=0)


def test_the_limits_themselves_are_allowed(bank):
    rich, heir = bank.open(overdraft=10**15), bank.open()
    body = transfer_body(rich, heir, 10**15, source="s" * 128, reference="号" * 128, user="u" * 128, info="茶" * 1024)
    assert post(bank, body)["info"] == "茶" * 1024
    bank.check(heir, balance=10**15)
    assert bank.transfers_named("号" * 128, "s" * 128)[0]["amount"] == 10**15


# Tests that a reference has at most one transfer.


def test_the_same_reference_is_the_same_transfer(bank, alice, bob):
    body = transfer_body(alice, bob, 300, info="x")
    first = post(bank, body)
    assert post(bank, body, expect=200) == first
    assert post(bank, body | {"source": "api"}, expect=200) == first
    bank.change(alice, "freeze")
    assert post(bank, body, expect=200) == first
    assert len(bank.check(alice, balance=700)) == 2 and len(bank.check(bob, balance=300)) == 1


@pytest.mark.parametrize("change", [{"amount": 301}, {"currency": "USD"}, {"user": "another"}, {"info": "another"},
                                    {"debit_account": UNKNOWN_ACCOUNT["id"]},
                                    {"credit_account": UNKNOWN_ACCOUNT["id"]}], ids=str)
def test_the_same_reference_with_other_content_is_a_conflict(bank, alice, bob, change):
    body = transfer_body(alice, bob, 300, user="clerk", info="x")
    post(bank, body)
    assert post(bank, body | change, expect=409)["code"] == "reference_conflict"
    bank.check(bob, balance=300)


def test_a_price_is_other_content_than_an_amount(bank, alice, bob):
    bank.api.put("/v1/prices/three", {"amount": 300, "currency": "CNY"})
    body = transfer_body(alice, bob, 300)
    post(bank, body)
    del body["amount"]
    assert post(bank, body | {"price": "three"}, expect=409)["code"] == "reference_conflict"


def test_a_reference_belongs_to_one_source_and_one_merchant(bank, other, alice, bob):
    body = transfer_body(alice, bob, 100)
    made = [post(bank, body | {"source": source}) for source in ["api", "shop", "Shop", "钱"]]
    theirs = other.transfer(other.till(), other.open(), 100, reference=body["reference"])
    assert len({each["id"] for each in [*made, theirs]}) == 5
    bank.check(alice, balance=600)
    assert bank.transfers_named(body["reference"], "shop") == [made[1]]
    assert other.transfers_named(body["reference"]) == [theirs]


def test_the_lock_token_is_not_part_of_the_request_content(bank, alice, bob):
    token = bank.lock(alice)["token"]
    body = transfer_body(alice, bob, 100)
    made = post(bank, body | {"lock_token": token})
    assert post(bank, body, expect=200) == made  # a repeated transfer debits nothing, so it needs no token
    bank.unlock(alice, token)
    assert post(bank, body, expect=200) == made


def test_a_response_is_replayed_under_its_key(bank, alice, bob):
    key, body = {"Idempotency-Key": str(uuid.uuid4())}, transfer_body(alice, bob, 600)
    first = bank.api.request("POST", "/v1/transfers", json=body, headers=key)
    again = bank.api.request("POST", "/v1/transfers", json=body, headers=key)
    assert first.status_code == again.status_code == 201 and first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true"

    key, body = {"Idempotency-Key": str(uuid.uuid4())}, transfer_body(alice, bob, 600)
    first = bank.api.request("POST", "/v1/transfers", json=body, headers=key)
    bank.transfer(bob, alice, 600)
    again = bank.api.request("POST", "/v1/transfers", json=body, headers=key)
    assert first.status_code == again.status_code == 422 and first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true"
    bank.check(alice, balance=1000)


# Tests of refusals that are stored as transfers.


def test_a_refused_transfer_is_kept_and_stays_refused(bank, alice, bob):
    body = transfer_body(alice, bob, 1001, user="clerk", info="too much")
    problem = post(bank, body, expect=422)
    assert problem["code"] == "insufficient_balance" and problem["state"] == "refused"
    kept = check_kept(bank, body, "insufficient_balance")
    assert kept["amount"] == 1001 and kept["user"] == "clerk" and kept["info"] == "too much"
    bank.transfer(bank.till(), alice, 5000)
    assert post(bank, body, expect=422)["code"] == "insufficient_balance"
    assert check_kept(bank, body, "insufficient_balance") == kept
    assert post(bank, body | {"amount": 1}, expect=409)["code"] == "reference_conflict"
    post(bank, body | {"reference": body["reference"] + "-2"})
    bank.check(bob, balance=1001)


@pytest.mark.parametrize("code, prepare", [
    ("account_frozen", lambda bank, alice, bob: bank.change(alice, "freeze")),
    ("account_closed", lambda bank, alice, bob: bank.change(bob, "close")),
    ("insufficient_balance", lambda bank, alice, bob: bank.hold(alice, bob, 999))])
def test_every_refusal_is_kept(bank, alice, bob, code, prepare):
    prepare(bank, alice, bob)
    body, before = transfer_body(alice, bob, 2), bank.account(alice)
    assert post(bank, body, expect=422)["code"] == code
    check_kept(bank, body, code)
    assert bank.account(alice) == before


@pytest.mark.parametrize("currencies", [("USD", "CNY"), ("CNY", "USD"), ("USD", "USD")])
def test_another_currency_than_the_accounts_is_refused_and_kept(bank, currencies):
    debit, credit = (bank.open(currency=each, overdraft=1000) for each in currencies)
    body = transfer_body(debit, credit, 100)
    assert post(bank, body, expect=422)["code"] == "currency_mismatch"
    assert check_kept(bank, body, "currency_mismatch")["currency"] == "CNY"


def test_a_frozen_account_receives_money(bank, alice, bob):
    bank.change(bob, "freeze")
    bank.transfer(alice, bob, 100)
    bank.check(bob, balance=100)


# Tests of refusals that are not stored.


def test_an_unknown_account_stores_no_transfer(bank, other, alice):
    theirs = other.open()
    for unknown in [UNKNOWN_ACCOUNT, theirs]:
        for field, body in [("credit_account", transfer_body(alice, unknown)), ("debit_account",
                                                                               transfer_body(unknown, alice))]:
            problem = post(bank, body, expect=404)
            assert problem["code"] == "not_found" and problem.get("param", field) == field
            assert bank.transfers_named(body["reference"]) == []
    bank.check(alice, balance=1000)


def test_a_reference_is_free_after_a_mistake(bank, alice, bob):
    body = transfer_body(alice, bob, 100)
    post(bank, body | {"credit_account": UNKNOWN_ACCOUNT["id"]}, expect=404)
    check_wrong(bank.api.request("POST", "/v1/transfers", json=body | {"credit_account": alice["id"]}),
                "credit_account")
    token = bank.lock(alice)["token"]
    assert post(bank, body, expect=409)["code"] == "account_locked"
    assert bank.transfers_named(body["reference"]) == []
    bank.unlock(alice, token)
    post(bank, body)
    bank.check(bob, balance=100)


@pytest.mark.parametrize("field, value", cases_of(WRONG_FIELDS))
def test_a_wrong_field(bank, field, value):
    body = transfer_body(bank.till(), UNKNOWN_ACCOUNT) | {field: value}
    check_wrong(bank.api.request("POST", "/v1/transfers", json=body), field)


@pytest.mark.parametrize("field, value", cases_of(WRONG_FIELDS_OF_A_PRICE))
def test_a_wrong_field_beside_a_price(bank, field, value):
    body = transfer_body(bank.till(), UNKNOWN_ACCOUNT) | {"price": "tea", field: value}
    del body["amount"]
    check_wrong(bank.api.request("POST", "/v1/transfers", json=body), field)


@pytest.mark.parametrize("field", ["debit_account", "credit_account", "amount", "currency", "reference"])
def test_a_missing_field(bank, field):
    body = transfer_body(bank.till(), UNKNOWN_ACCOUNT)
    del body[field]
    check_wrong(bank.api.request("POST", "/v1/transfers", json=body), field)


def test_an_amount_or_a_price_and_not_both(bank, alice, bob):
    body = transfer_body(alice, bob, 100)
    assert bank.api.post("/v1/transfers", body | {"price": "tea"}, expect=400)["param"] in {"amount", "price"}
    assert bank.api.post("/v1/transfers", body | {"quantity": 2}, expect=400)["param"] == "quantity"
    assert bank.transfers_named(body["reference"]) == []


@pytest.mark.parametrize("field, value, limit", [
    ("amount", 10**15 + 1, str(10**15)), ("reference", "r" * 129, "128"), ("source", "s" * 129, "128"),
    ("info", "i" * 1025, "1024"), ("quantity", 10**9 + 1, str(10**9))])
def test_the_limit_is_named(bank, field, value, limit):
    body = transfer_body(bank.till(), UNKNOWN_ACCOUNT) | {field: value}
    if field == "quantity":
        body["price"] = "tea"
        del body["amount"]
    assert limit in check_wrong(bank.api.request("POST", "/v1/transfers", json=body), field)


# Tests of reading and listing transfers.


def test_a_transfer_is_found_by_its_reference(bank, alice, bob):
    made = bank.transfer(alice, bob, 100)
    assert bank.transfers_named(made["reference"]) == [made]
    assert bank.transfers_named(made["reference"], "shop") == []
    assert bank.transfers_named("unknown") == []


@pytest.mark.parametrize("query, param", [("source=&reference=x", "source"), ("source=api&reference=", "reference"),
                                          ("source=api&reference=" + "r" * 129, "reference"),
                                          ("source=api&reference=x&colour=red", "colour")])
def test_an_invalid_query(bank, query, param):
    check_wrong(bank.api.request("GET", f"/v1/transfers?{query}"), param)


@pytest.mark.parametrize("wrong", ["trf_0000000000001", "trf_", "acc_0000000000001", "1"])
def test_an_unknown_id(bank, wrong):
    bank.api.get(f"/v1/transfers/{wrong}", expect=404)


def test_another_merchants_transfer_is_not_found(bank, other):
    theirs = other.transfer(other.till(), other.open(), 100)
    bank.api.get(f"/v1/transfers/{theirs['id']}", expect=404)
    assert bank.transfers_named(theirs["reference"]) == []
    bank.api.get(f"/v1/events?object={theirs['id']}", expect=404)
    # The reference is free for this merchant: the reversal creates a new tombstone.
    assert bank.reverse(theirs["reference"])["id"] != theirs["id"]
    assert other.transfers_named(theirs["reference"]) == [theirs]


# Tests of reversals.


def test_a_reversal_moves_the_money_back_once(bank, alice, bob):
    body = transfer_body(alice, bob, 300, user="clerk", info="tea")
    made = post(bank, body)
    reversed_ = bank.reverse(body["reference"])
    assert reversed_["id"] == made["id"] and reversed_["state"] == "reversed"
    assert {name: reversed_[name] for name in body} == body
    assert bank.reverse(body["reference"]) == bank.reverse(body["reference"], source="api") == reversed_
    assert [entry["type"] for entry in bank.check(bob, balance=0)] == ["transfer_reversed", "transfer"]
    assert [entry["amount"] for entry in bank.check(alice, balance=1000)][:2] == [300, -300]
    assert post(bank, body, expect=200) == reversed_  # a reversed transfer is not posted again
    bank.check(alice, balance=1000)
    events = bank.api.all("/v1/events", object=made["id"])[::-1]
    assert [(event.get("from"), event["to"]) for event in events] == [(None, "posted"), ("posted", "reversed")]


def test_a_reversal_before_its_transfer_prevents_the_transfer(bank, alice, bob):
    body = transfer_body(alice, bob, 300)
    tombstone = bank.reverse(body["reference"])
    assert tombstone["state"] == "reversed" and tombstone["reference"] == body["reference"]
    assert not {"debit_account", "credit_account", "amount", "currency", "refusal"} & set(tombstone)
    late = post(bank, body, expect=409)
    assert late["code"] == "already_reversed"
    assert post(bank, body | {"amount": 5}, expect=409)["code"] == "already_reversed"
    assert bank.reverse(body["reference"]) == tombstone == bank.transfers_named(body["reference"])[0]
    bank.check(alice, balance=1000)
    bank.check(bob, balance=0)
    post(bank, body | {"source": "shop"})


def test_the_refusal_of_a_late_transfer_is_replayed(bank, alice, bob):
    body, key = transfer_body(alice, bob, 300), {"Idempotency-Key": str(uuid.uuid4())}
    bank.reverse(body["reference"])
    first = bank.api.request("POST", "/v1/transfers", json=body, headers=key)
    again = bank.api.request("POST", "/v1/transfers", json=body, headers=key)
    assert first.status_code == again.status_code == 409 and first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_refused_transfer_stays_refused_when_it_is_reversed(bank, alice, bob):
    body = transfer_body(alice, bob, 5000)
    post(bank, body, expect=422)
    kept = check_kept(bank, body, "insufficient_balance")
    assert bank.reverse(body["reference"]) == kept
    assert check_kept(bank, body, "insufficient_balance") == kept
    bank.check(alice, balance=1000)


def test_a_transfer_that_was_spent_is_reversed_once_the_balance_suffices(bank, alice, bob):
    made = bank.transfer(alice, bob, 300)
    bank.transfer(bob, bank.till(), 1)
    key, body = {"Idempotency-Key": str(uuid.uuid4())}, {"reference": made["reference"]}
    first = bank.api.request("POST", "/v1/transfers/reverse", json=body, headers=key)
    assert first.status_code == 422 and first.json()["code"] == "insufficient_balance"
    assert bank.transfers_named(made["reference"]) == [made]
    bank.check(bob, balance=299)
    bank.transfer(bank.till(), bob, 1)
    again = bank.api.request("POST", "/v1/transfers/reverse", json=body, headers=key)
    assert again.content == first.content and again.headers["Idempotent-Replayed"] == "true"
    assert bank.reverse(made["reference"])["state"] == "reversed"
    bank.check(bob, balance=0)
    bank.check(alice, balance=1000)


def test_held_money_cannot_be_returned_by_a_reversal(bank, alice, bob):
    made = bank.transfer(alice, bob, 300)
    hold = bank.hold(bob, alice, 300)
    assert bank.reverse(made["reference"], expect=422)["code"] == "insufficient_balance"
    bank.void_hold(hold)
    assert bank.reverse(made["reference"])["state"] == "reversed"


def test_a_frozen_account_pays_no_reversal_and_receives_one(bank, alice, bob):
    made = bank.transfer(alice, bob, 300)
    bank.change(bob, "freeze")
    assert bank.reverse(made["reference"], expect=422)["code"] == "account_frozen"
    assert bank.transfers_named(made["reference"])[0]["state"] == "posted"
    bank.change(bob, "unfreeze")
    bank.change(alice, "freeze")
    assert bank.reverse(made["reference"])["state"] == "reversed"
    bank.check(alice, balance=1000)


@pytest.mark.parametrize("which", ["debit_account", "credit_account"])
def test_a_closed_account_refuses_a_reversal(bank, which):
    alice, bob = bank.open(balance=300), bank.open(overdraft=300)
    made = bank.transfer(alice, bob, 300)
    if which == "credit_account":
        bank.transfer(bob, bank.till(), 300)
    closed = {"debit_account": alice, "credit_account": bob}[which]
    bank.change(closed, "close")
    assert bank.reverse(made["reference"], expect=422)["code"] == "account_closed"
    assert bank.transfers_named(made["reference"]) == [made]
    bank.check(closed, balance=0)


@pytest.mark.parametrize("field, value", cases_of({"reference": [*TEXTS, "r" * 129],
                                                   "source": [*TEXTS, "s" * 129, "wallet"],
                                                   "lock_token": [*TEXTS, "t" * 129], "amount": [1]}))
def test_a_wrong_field_of_a_reversal(bank, field, value):
    body = {"reference": f"e2e-{uuid.uuid4().hex}", field: value}
    check_wrong(bank.api.request("POST", "/v1/transfers/reverse", json=body), field)
    assert field == "reference" or bank.transfers_named(body["reference"]) == []


def test_a_reversal_requires_a_reference(bank):
    check_wrong(bank.api.request("POST", "/v1/transfers/reverse", json={"source": "api"}), "reference")

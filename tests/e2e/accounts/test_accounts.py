"""Opening, freezing, unfreezing and closing of accounts, lists and statements, and invalid requests."""

import datetime
import uuid

import pytest

from api import Api
from account_fixtures import Bank, account_body
from wrong_input import CURRENCIES, INTEGERS, TEXTS, cases_of, check_wrong

OF_THE_BOOKS = ["channel_receivable", "merchant_payable", "merchant_direct", "fee_income", "suspense",
                "refunds_in_transit", "direct_refunds_in_transit", "payouts_in_transit", "bank", "loss", "channel_fee_expense",
                "disputed", "clearing", "equity", "fx"]
WRONG_FIELDS = {
    "name": [*TEXTS, "n" * 129],
    "kind": [*TEXTS, "k" * 65, "Wallet", "a b", "a-b", "钱包", *OF_THE_BOOKS],
    "currency": CURRENCIES,
    "overdraft": [*INTEGERS, -1, 10**15 + 1, 10**30],
    "colour": ["red", None],
}
UNKNOWN_ACCOUNT = {"id": "acc_0000000000001"}
CHANGES = ["freeze", "unfreeze", "close"]


def refusal(problem, code, state=None):
    assert problem["code"] == code and (state is None or problem["state"] == state), problem


# Tests of opening accounts.


def test_a_new_account_is_open_and_empty(bank):
    account = bank.open(name="Alice's 💰", kind="wallet_2", overdraft=500)
    assert account["id"].startswith("acc_") and account["object"] == "account" and account["version"] >= 1
    assert {name: account[name] for name in ["name", "kind", "currency", "balance", "held", "available", "overdraft",
                                             "state"]} == {
        "name": "Alice's 💰", "kind": "wallet_2", "currency": "CNY", "balance": 0, "held": 0, "available": 500,
        "overdraft": 500, "state": "open"}
    assert "lock" not in account
    assert bank.account(account) == account and bank.entries(account) == []


@pytest.mark.parametrize("overdraft", [1, 10**15])
def test_a_merchant_cannot_give_itself_an_overdraft(new_shop, overdraft):
    shop = new_shop()
    problem = shop.api.post("/v1/accounts", account_body(overdraft=overdraft), expect=403)
    refusal(problem, "forbidden")
    assert problem["param"] == "overdraft" and "Finality-Merchant" in problem["detail"], problem
    assert shop.api.all("/v1/accounts") == []
    opened = shop.operator.post("/v1/accounts", account_body(overdraft=overdraft), expect=201)
    assert opened["overdraft"] == overdraft and shop.api.all("/v1/accounts") == [opened]


def test_a_refused_overdraft_is_not_kept_for_the_key(bank):
    key = {"Idempotency-Key": str(uuid.uuid4())}
    body = account_body(overdraft=1)
    for _ in range(2):
        bank.api.post("/v1/accounts", body, expect=403, headers=key)
    opened = bank.operator.request("POST", "/v1/accounts", json=body, headers=key)
    assert opened.status_code == 201 and "Idempotent-Replayed" not in opened.headers
    assert bank.api.post("/v1/accounts", body, expect=201, headers=key) == opened.json()  # a replay
    assert bank.api.post("/v1/accounts", body | {"overdraft": 2}, expect=422, headers=key)["code"] == (
        "idempotency_key_reused")


def test_without_an_overdraft_an_account_cannot_go_below_zero(bank):
    account = bank.open()
    assert account["overdraft"] == account["available"] == 0


def test_two_accounts_may_have_one_name(bank):
    assert bank.open(name="Twin")["id"] != bank.open(name="Twin")["id"]


def test_one_account_is_opened_under_one_key(bank):
    key, body = {"Idempotency-Key": str(uuid.uuid4())}, account_body(name=f"once {uuid.uuid4().hex}")
    first = bank.api.request("POST", "/v1/accounts", json=body, headers=key)
    again = bank.api.request("POST", "/v1/accounts", json=body, headers=key)
    assert first.status_code == again.status_code == 201 and first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true" and "Idempotent-Replayed" not in first.headers
    assert [each["id"] for each in bank.api.all("/v1/accounts") if each["name"] == body["name"]] == [
        first.json()["id"]]
    assert bank.api.request("POST", "/v1/accounts", json=body | {"kind": "x"}, headers=key).status_code == 422


def test_the_limits_themselves_are_allowed(bank):
    account = bank.open(name="名" * 128, kind="k" * 64, currency="KWD", overdraft=10**15)
    assert account["name"] == "名" * 128 and account["available"] == 10**15
    bank.open(kind="_")
    bank.open(overdraft=0)


@pytest.mark.parametrize("field, value", cases_of(WRONG_FIELDS))
def test_a_wrong_field(bank, field, value):
    check_wrong(bank.api.request("POST", "/v1/accounts", json=account_body() | {field: value}), field)


@pytest.mark.parametrize("field", ["name", "kind", "currency"])
def test_a_missing_field(bank, field):
    body = account_body()
    del body[field]
    assert "required" in check_wrong(bank.api.request("POST", "/v1/accounts", json=body), field)


@pytest.mark.parametrize("field, value, limit", [
    ("name", "n" * 129, "128"), ("kind", "k" * 65, "64"), ("kind", "Wallet", "64"),
    ("overdraft", 10**15 + 1, str(10**15))])
def test_the_limit_is_named(bank, field, value, limit):
    problem = bank.api.post("/v1/accounts", account_body() | {field: value}, expect=400)
    assert limit in problem["detail"], problem


def test_a_viewer_can_read_and_cannot_write(contract, server, shop, bank):
    account = bank.open(balance=100)
    viewer = Bank(Api(contract, server.demo["base_url"], server.demo["operators"]["operator"], shop.id))
    assert viewer.account(account) == account
    admin = Api(contract, server.demo["base_url"], server.demo["operators"]["admin"])
    key = admin.post("/v1/api_keys", {"role": "viewer", "name": "night shift"}, expect=201)["key"]
    viewer = Bank(Api(contract, server.demo["base_url"], key, shop.id))
    assert viewer.account(account) == account and len(viewer.entries(account)) == 1
    viewer.open(expect=403)
    viewer.api.post("/v1/accounts", {}, expect=400)  # the server validates the request before it checks the role
    for verb in CHANGES:
        viewer.change(account, verb, expect=403)
    viewer.lock(account, expect=403)
    viewer.unlock(account, "1-x", expect=403)
    viewer.transfer(account, bank.till(), expect=403)
    viewer.reverse("x", expect=403)
    viewer.hold(account, bank.till(), expect=403)
    viewer.api.put("/v1/prices/tea", {"amount": 1, "currency": "CNY"}, expect=403)
    viewer.api.put("/v1/fees/sandbox", {"basis_points": 1, "fixed": 0, "refundable": False}, expect=403)
    assert bank.account(account) == account


# Tests of freezing, unfreezing and closing.


def test_a_frozen_account_can_be_credited_and_not_debited(bank):
    account = bank.open(balance=1000)
    held = bank.hold(account, bank.till(), 100)
    frozen = bank.change(account, "freeze")
    assert frozen["state"] == "frozen" and frozen["balance"] == 1000
    refusal(bank.transfer(account, bank.till(), 1, expect=422), "account_frozen")
    refusal(bank.hold(account, bank.till(), 1, expect=422), "account_frozen")
    refusal(bank.post_hold(held, expect=422), "account_frozen")
    bank.transfer(bank.till(), account, 50)
    bank.post_hold(bank.hold(bank.till(), account, 25))
    bank.check(account, balance=1075, held=100)
    assert bank.change(account, "unfreeze")["state"] == "open"
    bank.post_hold(held)
    bank.transfer(account, bank.till(), 1)
    bank.check(account, balance=974, held=0)


def test_freezing_twice_changes_nothing(bank):
    account = bank.open()
    assert bank.change(account, "unfreeze") == account
    frozen = bank.change(account, "freeze")
    assert bank.change(account, "freeze") == frozen and frozen["version"] == account["version"] + 1
    thawed = bank.change(account, "unfreeze")
    assert bank.change(account, "unfreeze") == thawed
    steps = [event["event"] for event in bank.api.all("/v1/events", object=account["id"])][::-1]
    assert steps == ["created", "freeze", "unfreeze"]


@pytest.mark.parametrize("balance", [100, -100])
def test_only_an_empty_account_is_closed(bank, balance):
    account = bank.open(overdraft=100)
    way = (bank.till(), account) if balance > 0 else (account, bank.till())
    bank.transfer(*way, 100)
    refusal(bank.change(account, "close", expect=409), "illegal_transition", "open")
    bank.transfer(*way[::-1], 100)
    closed = bank.change(account, "close")
    assert closed["state"] == "closed" and bank.change(account, "close") == closed


def test_an_account_with_an_open_hold_is_not_closed(bank):
    account = bank.open(overdraft=100)
    hold = bank.hold(account, bank.till(), 100)
    refusal(bank.change(account, "close", expect=409), "illegal_transition", "open")
    bank.void_hold(hold)
    assert bank.change(account, "close")["state"] == "closed"


def test_a_frozen_account_can_be_closed(bank):
    account = bank.open()
    bank.change(account, "freeze")
    assert bank.change(account, "close")["state"] == "closed"


def test_a_closed_account_refuses_every_operation(bank):
    account = bank.open(overdraft=100)
    bank.change(account, "close")
    for verb in ["freeze", "unfreeze"]:
        refusal(bank.change(account, verb, expect=422), "account_closed", "closed")
    refusal(bank.lock(account, expect=422), "account_closed")
    refusal(bank.transfer(account, bank.till(), 1, expect=422), "account_closed")
    refusal(bank.transfer(bank.till(), account, 1, expect=422), "account_closed")
    refusal(bank.hold(account, bank.till(), 1, expect=422), "account_closed")
    refusal(bank.hold(bank.till(), account, 1, expect=422), "account_closed")
    now = bank.account(account)
    assert now["state"] == "closed" and now["balance"] == 0 and bank.entries(account) == []


def test_a_refusal_is_replayed_under_its_key(bank):
    account = bank.open(balance=100)
    key, path = {"Idempotency-Key": str(uuid.uuid4())}, f"/v1/accounts/{account['id']}/close"
    first = bank.api.request("POST", path, headers=key)
    bank.transfer(account, bank.till(), 100)
    again = bank.api.request("POST", path, headers=key)
    assert first.status_code == again.status_code == 409 and first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true" and bank.account(account)["state"] == "open"
    assert bank.change(account, "close")["state"] == "closed"


def test_the_events_record_every_change(bank):
    account = bank.open(balance=100)
    lock = bank.lock(account)
    bank.unlock(account, lock["token"])
    bank.change(account, "freeze")
    events = bank.api.all("/v1/events", object=account["id"])[::-1]
    assert [event["event"] for event in events] == ["created", "locked", "unlocked", "freeze"]
    assert [event["to"] for event in events] == ["open", "open", "open", "frozen"]
    assert all(event["object_type"] == event["machine"] == "account" for event in events)
    assert all(event["cause"]["kind"] == "api" for event in events)


# Tests of access by merchants and operators.


def test_another_merchants_accounts_are_not_found(bank, other):
    theirs, mine = other.open(balance=1000), bank.open(balance=100)
    hold = other.hold(theirs, other.till(), 100)
    before = other.account(theirs)
    bank.api.get(f"/v1/accounts/{theirs['id']}", expect=404)
    bank.api.get(f"/v1/accounts/{theirs['id']}/entries", expect=404)
    bank.api.get(f"/v1/events?object={theirs['id']}", expect=404)
    bank.api.get(f"/v1/events?object={hold['id']}", expect=404)
    bank.api.get(f"/v1/holds/{hold['id']}", expect=404)
    bank.api.get(f"/v1/holds?account={theirs['id']}", expect=404)
    for verb in CHANGES:
        bank.change(theirs, verb, expect=404)
    bank.lock(theirs, expect=404)
    bank.unlock(theirs, "1-x", expect=404)
    bank.post_hold(hold, expect=404)
    bank.void_hold(hold, expect=404)
    for debit, credit in [(theirs, mine), (mine, theirs)]:
        bank.transfer(debit, credit, 1, expect=404)
        bank.hold(debit, credit, 1, expect=404)
    assert other.account(theirs) == before
    bank.check(mine, balance=100)


@pytest.mark.parametrize("wrong", [UNKNOWN_ACCOUNT["id"], "acc_", "acc_zzz", "ord_0000000000001", "1",
                                   "ACC_0000000000001"])
def test_an_unknown_id(bank, wrong):
    unknown = {"id": wrong}
    bank.api.get(f"/v1/accounts/{wrong}", expect=404)
    bank.api.get(f"/v1/accounts/{wrong}/entries", expect=404)
    for verb in CHANGES:
        bank.change(unknown, verb, expect=404)
    bank.lock(unknown, expect=404)
    bank.unlock(unknown, "1-x", expect=404)


def test_ledger_accounts_can_be_read_and_not_changed(new_shop):
    shop = new_shop()
    bank = Bank(shop.api, shop.operator)
    account = bank.open(balance=100)
    order = shop.api.create_order(payment={"channel": "sandbox", "scenario": "pays"})
    shop.api.order_when_final(order["id"])
    entries = [item["detail"] for item in shop.api.timeline(order["id"]) if item["kind"] == "entry"]
    assert {entry["account_kind"] for entry in entries} == {"channel_receivable", "merchant_payable"}
    for entry in entries:
        booked = bank.account({"id": entry["account"]})
        assert booked["kind"] == entry["account_kind"] and booked["name"] == ""
        assert booked["balance"] == entry["balance_after"] and bank.entries(booked)[0]["id"] == entry["id"]
        bank.transfer(account, booked, 1, expect=404)
        bank.transfer(booked, account, 1, expect=404)
        bank.hold(account, booked, 1, expect=404)
        bank.hold(booked, account, 1, expect=404)
        bank.lock(booked, expect=404)
        for verb in CHANGES:
            bank.change(booked, verb, expect=404)
        assert bank.account(booked) == booked
    listed = [each["id"] for each in shop.api.all("/v1/accounts")]
    assert sorted(listed) == sorted([account["id"], bank.till()["id"]])


def test_a_method_that_the_path_does_not_support(bank):
    account = bank.open()
    for method, path in [("PUT", "/v1/accounts"), ("DELETE", f"/v1/accounts/{account['id']}"),
                         ("GET", f"/v1/accounts/{account['id']}/freeze"), ("GET", f"/v1/accounts/{account['id']}/lock"),
                         ("POST", f"/v1/accounts/{account['id']}/entries"), ("PATCH", "/v1/transfers"),
                         ("PUT", "/v1/holds"), ("POST", "/v1/prices/tea"), ("DELETE", "/v1/fees/sandbox")]:
        assert bank.api.request(method, path).status_code == 405


@pytest.mark.parametrize("verb", CHANGES)
def test_an_unexpected_body(bank, verb):
    account = bank.open()
    response = bank.api.request("POST", f"/v1/accounts/{account['id']}/{verb}", json={"why": "because"})
    check_wrong(response, "why")
    assert bank.account(account) == account


# Tests of the list of accounts.


def test_accounts_are_listed_newest_first_in_pages(new_shop):
    bank = Bank(new_shop().api)
    assert bank.api.get("/v1/accounts")["data"] == []
    made = [bank.open(name=str(number)) for number in range(5)][::-1]
    first = bank.api.get("/v1/accounts", params={"limit": 2})
    second = bank.api.get("/v1/accounts", params={"limit": 2, "starting_after": first["data"][-1]["id"]})
    third = bank.api.get("/v1/accounts", params={"limit": 2, "starting_after": second["data"][-1]["id"]})
    assert first["data"] + second["data"] + third["data"] == made
    assert [page["has_more"] for page in (first, second, third)] == [True, True, False]
    back = bank.api.get("/v1/accounts", params={"limit": 2, "ending_before": third["data"][0]["id"]})
    assert back["data"] == second["data"] and back["has_more"]
    assert first["object"] == "list" and first["url"].startswith("/v1/accounts")


# Tests of account statements.


@pytest.fixture(scope="module")
def statement(bank):
    """Returns an account with 12 entries, and its entries, newest first."""
    account = bank.open()
    for number in range(6):
        bank.transfer(bank.till(), account, 100 + number, user=f"clerk {number}", info=f"in {number}")
        bank.transfer(account, bank.till(), 50 + number)
    return account, bank.entries(account)


def test_a_statement_is_a_chain_newest_first(bank, statement):
    account, entries = statement
    assert len(entries) == 12 and entries == sorted(entries, key=lambda entry: entry["id"], reverse=True)
    assert [entry["amount"] for entry in entries[::-1]] == [
        amount for number in range(6) for amount in (100 + number, -50 - number)]
    bank.check(account, balance=300)


def test_an_entry_names_its_cause_and_its_user(bank, statement):
    entry = statement[1][-1]
    transfer = bank.api.get(f"/v1/transfers/{entry['transfer']}")
    assert entry["type"] == "transfer" and entry["object"] == "entry" and entry["user"] == "clerk 0"
    assert entry["info"] == "in 0" and entry["source_ip"] == "127.0.0.1"
    assert (entry["source"], entry["reference"]) == ("api", transfer["reference"])
    assert transfer["credit_account"] == entry["account"] and transfer["amount"] == entry["amount"]
    assert "user" not in statement[1][0] and "info" not in statement[1][0]


@pytest.mark.parametrize("limit", [1, 5, 11, 12, 100])
def test_a_statement_is_paged(bank, statement, limit):
    account, entries = statement
    path, found, query = f"/v1/accounts/{account['id']}/entries", [], {"limit": limit}
    while True:
        page = bank.api.get(path, params=query)
        assert len(page["data"]) == min(limit, len(entries) - len(found))
        found += page["data"]
        assert page["has_more"] == (len(found) < len(entries))
        if not page["has_more"]:
            break
        query["starting_after"] = found[-1]["id"]
    assert found == entries
    back = bank.api.get(path, params={"limit": limit, "ending_before": entries[-1]["id"]})
    assert back["data"] == entries[-1 - limit:-1] if limit < 11 else back["data"] == entries[:-1]


def test_a_new_entry_does_not_shift_the_pages(bank):
    account = bank.open()
    for amount in range(1, 5):
        bank.transfer(bank.till(), account, amount)
    path = f"/v1/accounts/{account['id']}/entries"
    first = bank.api.get(path, params={"limit": 2})
    bank.transfer(bank.till(), account, 5)
    second = bank.api.get(path, params={"limit": 2, "starting_after": first["data"][-1]["id"]})
    assert [entry["amount"] for entry in first["data"] + second["data"]] == [4, 3, 2, 1]


def test_a_statement_of_a_period(bank, statement):
    account, entries = statement
    begin, end = entries[9]["created_at"], entries[2]["created_at"]

    def between(**query):
        return bank.entries(account, **query)

    assert between(**{"from": begin, "to": end}) == [e for e in entries if begin <= e["created_at"] < end]
    assert between(**{"from": end}) == [e for e in entries if e["created_at"] >= end]
    assert between(to=begin) == [e for e in entries if e["created_at"] < begin]
    assert between(**{"from": end, "to": end}) == []
    elsewhere = datetime.datetime.fromisoformat(begin).astimezone(datetime.timezone(datetime.timedelta(hours=8)))
    assert between(**{"from": elsewhere.isoformat(timespec="milliseconds")}) == [
        e for e in entries if e["created_at"] >= begin]
    page = bank.api.get(f"/v1/accounts/{account['id']}/entries", params={"from": begin, "limit": 3})
    assert page["data"] == entries[:3] and page["has_more"]


@pytest.mark.parametrize("query, param", [
    ("limit=0", "limit"), ("limit=101", "limit"), ("limit=x", "limit"), ("from=yesterday", "from"), ("to=1", "to"),
    ("to=2026-13-01T00:00:00Z", "to"),
    ("from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"),
    ("starting_after=acc_0000000000001", "starting_after"),
    ("ending_before=x", "ending_before"), ("colour=red", "colour")])
def test_a_wrong_parameter_of_a_statement(bank, statement, query, param):
    response = bank.api.request("GET", f"/v1/accounts/{statement[0]['id']}/entries?{query}")
    check_wrong(response, param)


@pytest.mark.parametrize("query, param", [("limit=0", "limit"), ("state=open", "state"),
                                          ("starting_after=ent_0000000000001", "starting_after")])
def test_a_wrong_parameter_of_the_list(bank, query, param):
    check_wrong(bank.api.request("GET", f"/v1/accounts?{query}"), param)

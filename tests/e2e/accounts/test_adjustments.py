"""Adjustments: opening balances, penalties and rounding differences, posted by two operators."""

import pytest

import store_sql
from api import Api
from wrong_input import CURRENCIES, INTEGERS, TEXTS, cases_of, check_wrong


@pytest.fixture
def fresh(new_shop):
    """A merchant without ledger accounts."""
    return new_shop()


@pytest.fixture(scope="module")
def new_approver(contract, server, admin):
    """Returns a function that creates an API client of another operator, who acts for the shop's merchant."""
    key = admin.post("/v1/api_keys", {"role": "approver", "name": "second pair of eyes"}, expect=201)["key"]
    return lambda shop: Api(contract, server.demo["base_url"], key, shop.id)


def opening(amount=50000, account="merchant_payable", **fields):
    return {"type": "opening_balance", "account": account, "currency": "CNY", "amount": amount,
            "note": "上线前余额"} | fields


def deduction(amount=2000, kind="penalty", **fields):
    return {"type": kind, "channel": "sandbox", "currency": "CNY", "amount": amount,
            "note": "settlement of May"} | fields


def propose(shop, body, expect=201):
    return shop.operator.post("/v1/adjustments", body, expect=expect)


def decide(client, adjustment, verb="approve", expect=200):
    body = {"version": adjustment["version"]} if verb == "approve" else None
    return client.post(f"/v1/adjustments/{adjustment['id']}/{verb}", body, expect=expect)


def to_merchant(adjustment):
    """Returns the adjustment without the fields for operators."""
    return {name: value for name, value in adjustment.items() if name not in ("note", "proposed_by", "decided_by")}


DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"  # of the API ids


def entries_of(server, shop):
    """Returns {(account kind, channel): [(type, amount)]} of the merchant's ledger accounts, oldest entry first. The
    store names the accounts; the entries are read over the API."""
    merchant = 0
    for digit in shop.id.removeprefix("mer_"):
        merchant = merchant << 5 | DIGITS.index(digit)
    accounts = store_sql.ask(
        server.store, f"SELECT id, kind, channel FROM accounts WHERE kind <> 'user' AND merchant_id = {merchant}")
    return {(kind, channel): [(entry["type"], entry["amount"]) for entry in reversed(shop.api.all(
        f"/v1/accounts/{account_id(int(number))}/entries"))] for number, kind, channel in accounts}


def account_id(number):
    """Returns the API id of the account with this database id."""
    return "acc_" + "".join(DIGITS[number >> shift & 31] for shift in range(60, -1, -5))


# Tests of opening balances.


def test_an_opening_balance_is_posted_by_two_operators(server, fresh, new_approver):
    proposed = propose(fresh, opening())
    assert proposed["object"] == "adjustment" and proposed["id"].startswith("adj_")
    assert proposed["merchant"] == fresh.id and proposed["state"] == "proposed" and "decided_by" not in proposed
    assert (proposed["account"], proposed["amount"], proposed["note"]) == ("merchant_payable", 50000, "上线前余额")
    assert fresh.api.get("/v1/balance")["data"] == []

    posted = decide(new_approver(fresh), proposed)
    assert posted["state"] == "posted" and posted["version"] == 2
    assert posted["decided_by"] != posted["proposed_by"] == proposed["proposed_by"]
    [balance] = fresh.api.get("/v1/balance")["data"]
    assert (balance["currency"], balance["available"]) == ("CNY", 50000)
    assert entries_of(server, fresh) == {("merchant_payable", ""): [("opening_balance_credited", 50000)],
                                         ("equity", ""): [("opening_balance_credited", -50000)]}
    assert fresh.operator.get(f"/v1/adjustments/{posted['id']}") == posted
    assert fresh.api.get(f"/v1/adjustments/{posted['id']}") == to_merchant(posted)
    events = fresh.api.all("/v1/events", object=posted["id"])
    assert [event["type"] for event in events] == ["adjustment.approve", "adjustment.created"]
    assert all(event["cause"]["kind"] == "operator" for event in events)


@pytest.mark.parametrize("account, channel", [("merchant_payable", ""), ("merchant_direct", ""), ("bank", "bank"),
                                              ("channel_receivable", "sandbox")])
def test_an_opening_balance_can_be_negative(server, fresh, new_approver, account, channel):
    fields = {"channel": channel} if channel else {}
    adjustment = propose(fresh, opening(-700, account, **fields))
    assert adjustment.get("channel", "") == channel
    decide(new_approver(fresh), adjustment)
    assert entries_of(server, fresh) == {(account, channel): [("opening_balance_debited", -700)],
                                         ("equity", ""): [("opening_balance_debited", 700)]}


def test_an_approval_is_posted_once(fresh, new_approver):
    adjustment = propose(fresh, opening())
    approver = new_approver(fresh)
    posted = decide(approver, adjustment)
    assert decide(approver, adjustment) == posted
    assert decide(approver, adjustment, "reject", expect=409)["code"] == "illegal_transition"
    assert fresh.api.get("/v1/balance")["data"][0]["available"] == 50000


def test_the_proposer_cannot_approve(fresh, new_approver):
    adjustment = propose(fresh, opening())
    problem = decide(fresh.operator, adjustment, expect=403)
    assert problem["code"] == "forbidden" and "another approver" in problem["detail"]
    assert fresh.api.get("/v1/balance")["data"] == []
    decide(new_approver(fresh), adjustment)


def test_an_approval_names_the_reviewed_version(fresh, new_approver):
    adjustment = propose(fresh, opening())
    approver, path = new_approver(fresh), f"/v1/adjustments/{adjustment['id']}"
    for body in [None, {}, {"version": 0}]:
        missing = approver.post(f"{path}/approve", body, expect=400)
        assert missing["code"] == "invalid_request" and missing["param"] == "version"
    changed = approver.post(f"{path}/approve", {"version": 2}, expect=409)
    assert (changed["code"], changed["param"], changed["version"]) == ("preview_changed", "version", 1)
    assert fresh.api.get("/v1/balance")["data"] == []


# Tests of penalties, rounding differences and rejections.


def test_the_platform_bears_penalties_and_rounding_differences(server, fresh, new_approver):
    approver = new_approver(fresh)
    for body in [deduction(2000), deduction(3, "rounding"), deduction(-1, "rounding")]:
        adjustment = propose(fresh, body)
        assert adjustment["account"] == "channel_receivable"
        decide(approver, adjustment)
    types = ["penalty", "rounding_loss", "rounding_gain"]
    assert entries_of(server, fresh) == {
        ("channel_receivable", "sandbox"): list(zip(types, [2000, 3, -1])),
        ("loss", ""): list(zip(types, [-2000, -3, 1])),
    }
    assert all(row["available"] == 0 for row in fresh.api.get("/v1/balance")["data"])


def test_a_rejected_adjustment_posts_nothing(server, fresh, new_approver):
    withdrawn, refused = propose(fresh, deduction()), propose(fresh, opening())
    assert decide(fresh.operator, withdrawn, "reject")["state"] == "rejected"
    rejected = decide(new_approver(fresh), refused, "reject")
    assert rejected["state"] == "rejected" and rejected["decided_by"] != rejected["proposed_by"]
    assert decide(fresh.operator, refused, "reject") == rejected
    problem = decide(new_approver(fresh), refused, expect=409)
    assert problem["code"] == "illegal_transition"
    assert entries_of(server, fresh) == {}


# Tests of lists, keys and wrong input.


def test_adjustments_are_listed_newest_first_also_by_state(fresh, new_approver):
    made = [propose(fresh, opening(amount)) for amount in (1, 2, 3)][::-1]
    made[1] = decide(new_approver(fresh), made[1])
    assert fresh.operator.all("/v1/adjustments") == made
    made = [to_merchant(one) for one in made]
    assert fresh.api.all("/v1/adjustments") == made
    assert fresh.api.all("/v1/adjustments", state="posted") == [made[1]]
    assert fresh.api.all("/v1/adjustments", state="rejected") == []
    assert fresh.api.get("/v1/adjustments?state=open", expect=400)["param"] == "state"
    page = fresh.api.get("/v1/adjustments", params={"limit": 2})
    assert page["data"] == made[:2] and page["has_more"]


def test_a_repeated_request_proposes_once(fresh):
    def send():
        return fresh.operator.post("/v1/adjustments", opening(), expect=201, headers={"Idempotency-Key": "opening-1"})

    assert send() == send()
    assert len(fresh.api.all("/v1/adjustments")) == 1


def test_a_merchants_key_only_reads(fresh, other, new_approver):
    adjustment = propose(fresh, opening())
    assert fresh.api.post("/v1/adjustments", opening(), expect=403)["code"] == "forbidden"
    for verb in ("approve", "reject"):
        assert decide(fresh.api, adjustment, verb, expect=403)["code"] == "forbidden"
    other.api.get(f"/v1/adjustments/{adjustment['id']}", expect=404)
    other.api.get(f"/v1/events?object={adjustment['id']}", expect=404)
    assert other.api.all("/v1/adjustments") == []
    assert fresh.api.all("/v1/adjustments") == [to_merchant(adjustment)]


def test_an_operator_without_the_role_approver_cannot_approve(contract, server, admin, fresh):
    keys = {role: admin.post("/v1/api_keys", {"role": role, "name": role}, expect=201)["key"]
            for role in ("viewer", "operator")}
    clients = {role: Api(contract, server.demo["base_url"], key, fresh.id) for role, key in keys.items()}
    assert clients["viewer"].post("/v1/adjustments", opening(), expect=403)["code"] == "forbidden"
    adjustment = clients["operator"].post("/v1/adjustments", opening(), expect=201)
    assert decide(clients["viewer"], adjustment, "reject", expect=403)["code"] == "forbidden"
    second = propose(fresh, opening())
    assert decide(clients["operator"], second, expect=403)["code"] == "forbidden"
    decide(fresh.operator, adjustment)


def test_an_unknown_adjustment_is_not_found(fresh):
    for name in ["adj_0000000000001", "ord_0000000000001", "x"]:
        fresh.api.get(f"/v1/adjustments/{name}", expect=404)
        for verb in ("approve", "reject"):
            decide(fresh.operator, {"id": name, "version": 1}, verb, expect=404)


WRONG_AMOUNTS = [0, 10**15 + 1, -10**15 - 1, 2**63, *INTEGERS]


@pytest.mark.parametrize("field, value", cases_of({
    "type": ["", "gift", 5, None],
    "account": ["", "loss", "equity", "user", 5, None],
    "channel": ["sandbox"],
    "currency": CURRENCIES,
    "amount": WRONG_AMOUNTS,
    "note": [*TEXTS, "n" * 2001],
}))
def test_a_wrong_opening_balance_is_refused(shop, field, value):
    check_wrong(shop.operator.request("POST", "/v1/adjustments", json=opening(**{field: value})), field)


@pytest.mark.parametrize("field, value", cases_of({
    "account": ["bank", "channel_receivable", 5],
    "channel": ["", "nowhere", "wallet", "c" * 65, 5, None],
    "amount": [-1, *WRONG_AMOUNTS],
}))
def test_a_wrong_penalty_is_refused(shop, field, value):
    check_wrong(shop.operator.request("POST", "/v1/adjustments", json=deduction() | {field: value}), field)


@pytest.mark.parametrize("field", ["type", "account", "currency", "amount", "note"])
def test_a_missing_field_is_refused(shop, field):
    body = opening()
    del body[field]
    check_wrong(shop.operator.request("POST", "/v1/adjustments", json=body), field)


def test_a_missing_channel_is_refused(shop):
    for body in [opening(account="channel_receivable"), deduction(), deduction(1, "rounding")]:
        body.pop("channel", None)
        check_wrong(shop.operator.request("POST", "/v1/adjustments", json=body), "channel")


def test_an_unknown_field_is_refused(shop):
    check_wrong(shop.operator.request("POST", "/v1/adjustments", json=opening(memo="x")), "memo")
    adjustment = propose(shop, opening())
    for verb, body in (("approve", {"version": 1}), ("reject", {})):
        path = f"/v1/adjustments/{adjustment['id']}/{verb}"
        check_wrong(shop.operator.request("POST", path, json=body | {"memo": "x"}), "memo")

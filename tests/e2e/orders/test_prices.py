"""The price list, and transfers whose amount is given by the name of a price."""

import pytest

from account_fixtures import Bank, transfer_body
from wrong_input import AMOUNTS, CURRENCIES, TEXTS, cases_of, check_wrong


def set_price(bank, name, amount, currency="CNY", **fields):
    return bank.api.put(f"/v1/prices/{name}", {"amount": amount, "currency": currency} | fields)


def priced(debit, credit, price, **fields):
    body = transfer_body(debit, credit, price=price, **fields)
    del body["amount"]
    return body


def post(bank, body, expect=201):
    return bank.api.post("/v1/transfers", body, expect=expect)


# Tests of the price list.


def test_a_price_is_set_and_read(bank):
    price = set_price(bank, "tea.large-1_A", 1800, note="一壶茶")
    assert price["object"] == "price" and price["name"] == "tea.large-1_A"
    assert (price["amount"], price["currency"], price["note"]) == (1800, "CNY", "一壶茶")
    assert bank.api.get("/v1/prices/tea.large-1_A") == price


def test_a_price_is_changed(bank):
    first = set_price(bank, "cake", 900, note="old")
    second = set_price(bank, "cake", 1000, "USD")
    assert second["id"] == first["id"] and second["version"] == first["version"] + 1
    assert (second["amount"], second["currency"]) == (1000, "USD") and "note" not in second
    assert bank.api.get("/v1/prices/cake") == second
    assert len(bank.api.all("/v1/events", object=first["id"])) == 2


def test_prices_are_listed_newest_first_in_pages(new_shop):
    bank = Bank(new_shop().api)
    made = [set_price(bank, f"p{number}", number) for number in range(1, 6)][::-1]
    first = bank.api.get("/v1/prices", params={"limit": 2})
    rest = bank.api.get("/v1/prices", params={"limit": 3, "starting_after": first["data"][-1]["id"]})
    assert first["data"] + rest["data"] == made and first["has_more"] and not rest["has_more"]


def test_each_merchant_has_its_own_price_list(bank, other):
    mine = set_price(bank, "own", 100)
    other.api.get("/v1/prices/own", expect=404)
    theirs = set_price(other, "own", 200)
    assert bank.api.get("/v1/prices/own") == mine and theirs["id"] != mine["id"]
    bank.api.get(f"/v1/events?object={theirs['id']}", expect=404)


def test_an_unknown_price_is_not_found(bank):
    for name in ["nothing", "x" * 64, "x" * 65, "%E8%8C%B6"]:
        bank.api.get(f"/v1/prices/{name}", expect=404)


@pytest.mark.parametrize("name", ["x" * 65, "a%20b", "%E8%8C%B6", "a%2Cb", "a:b"])
def test_an_invalid_price_name(bank, name):
    response = bank.api.request("PUT", f"/v1/prices/{name}", json={"amount": 1, "currency": "CNY"})
    assert "64" in check_wrong(response, "name")


@pytest.mark.parametrize("field, value", cases_of({"amount": AMOUNTS, "currency": CURRENCIES,
                                                   "note": [*TEXTS, "n" * 1025], "colour": ["red"]}))
def test_a_wrong_field(bank, field, value):
    response = bank.api.request("PUT", "/v1/prices/wrong", json={"amount": 1, "currency": "CNY"} | {field: value})
    check_wrong(response, field)
    bank.api.get("/v1/prices/wrong", expect=404)


@pytest.mark.parametrize("field", ["amount", "currency"])
def test_a_missing_field(bank, field):
    body = {"amount": 1, "currency": "CNY"}
    del body[field]
    check_wrong(bank.api.request("PUT", "/v1/prices/wrong", json=body), field)


# Tests of transfers with a price.


@pytest.mark.parametrize("quantity, amount", [(None, 300), (1, 300), (7, 2100)])
def test_a_transfer_names_a_price_and_how_many(bank, quantity, amount):
    set_price(bank, "cup", 300)
    alice, shelf = bank.open(balance=5000), bank.open()
    body = priced(alice, shelf, "cup", **({} if quantity is None else {"quantity": quantity}))
    made = post(bank, body)
    assert (made["amount"], made["price"], made["quantity"]) == (amount, "cup", quantity or 1)
    bank.check(alice, balance=5000 - amount)
    bank.check(shelf, balance=amount)
    assert post(bank, body | {"quantity": quantity or 1}, expect=200) == made


def test_a_price_change_does_not_change_earlier_transfers(bank):
    set_price(bank, "bun", 300)
    alice, shelf = bank.open(balance=5000), bank.open()
    body = priced(alice, shelf, "bun", quantity=2)
    made = post(bank, body)
    set_price(bank, "bun", 500)
    assert post(bank, body, expect=200) == made == bank.transfers_named(body["reference"])[0]
    assert post(bank, body | {"quantity": 3}, expect=409)["code"] == "reference_conflict"
    assert post(bank, priced(alice, shelf, "bun", quantity=2))["amount"] == 1000
    assert bank.reverse(body["reference"])["amount"] == 600
    bank.check(shelf, balance=1000)


def test_an_unknown_price_is_refused_and_kept(bank):
    alice, shelf = bank.open(balance=5000), bank.open()
    body = priced(alice, shelf, "unheard", quantity=2)
    assert post(bank, body, expect=422)["code"] == "price_not_found"
    [kept] = bank.transfers_named(body["reference"])
    assert kept["state"] == "refused" and kept["refusal"] == "price_not_found" and kept["price"] == "unheard"
    set_price(bank, "unheard", 1)
    assert post(bank, body, expect=422)["code"] == "price_not_found"
    assert bank.reverse(body["reference"]) == kept
    assert post(bank, priced(alice, shelf, "unheard"))["amount"] == 1
    bank.check(shelf, balance=1)


def test_another_merchants_price_is_not_found(bank, other):
    set_price(other, "theirs", 1)
    body = priced(bank.open(balance=100), bank.open(), "theirs")
    assert post(bank, body, expect=422)["code"] == "price_not_found"


def test_a_price_in_another_currency_is_refused_and_kept(bank):
    set_price(bank, "scone", 300, "USD")
    body = priced(bank.open(balance=5000), bank.open(), "scone")
    assert post(bank, body, expect=422)["code"] == "currency_mismatch"
    assert bank.transfers_named(body["reference"])[0]["refusal"] == "currency_mismatch"


def test_a_refused_transfer_stores_its_amount(bank):
    set_price(bank, "feast", 5000)
    body = priced(bank.open(balance=9999), bank.open(), "feast", quantity=2)
    assert post(bank, body, expect=422)["code"] == "insufficient_balance"
    assert bank.transfers_named(body["reference"])[0]["amount"] == 10_000


def test_an_amount_beyond_the_limit_is_wrong(bank):
    set_price(bank, "palace", 10**15)
    rich = bank.open(overdraft=10**15)
    body = priced(rich, bank.open(), "palace", quantity=2)
    assert str(10**15) in check_wrong(bank.api.request("POST", "/v1/transfers", json=body), "quantity")
    check_wrong(bank.api.request("POST", "/v1/transfers", json=body | {"quantity": 10**9}), "quantity")
    assert bank.transfers_named(body["reference"]) == []
    assert post(bank, body | {"quantity": 1})["amount"] == 10**15

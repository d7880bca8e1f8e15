"""The channel `wallet` pays orders synchronously from an account of the merchant. Each payment debits the account
once."""

import collections
import uuid

import pytest

from api import order_body
from account_fixtures import Bank
from shop import check_chain
from wrong_input import NO_ACCOUNTS, TEXTS, cases_of, check_wrong

AMOUNT = 1999
UNKNOWN_ACCOUNT = {"id": "acc_0000000000001"}


@pytest.fixture(scope="module")
def other(new_shop):
    return new_shop()


@pytest.fixture
def alice(bank):
    return bank.open(balance=5000)


def by_wallet(account, **fields):
    return {"channel": "wallet", "account": account["id"]} | fields


def pay(shop, order, account, expect=201, **fields):
    return shop.api.create_payment(order["id"], expect=expect, **by_wallet(account, **fields))


def paid_order(shop, account, amount=AMOUNT, **fields):
    order = shop.order(amount=amount, payment=by_wallet(account), **fields)
    assert order["state"] == "succeeded", order
    return order


def payment_path(order):
    return f"/v1/orders/{order['id']}/payments"


def transfer_of(bank, payment):
    """Returns the only transfer that the wallet made for the payment, posted or refused."""
    [transfer] = bank.transfers_named(payment["out_trade_no"], source="wallet")
    return transfer


def entries_of(shop, order):
    """Returns the ledger entries in the order's timeline."""
    return [item["detail"] for item in shop.api.timeline(order["id"]) if item["kind"] == "entry"]


def receivable_of_wallet(shop, order):
    """Returns the balance of the wallet's channel_receivable account. It is zero, because the payer's account is
    debited immediately."""
    found = [entry for entry in entries_of(shop, order) if entry["account_kind"] == "channel_receivable"]
    return shop.api.get(f"/v1/accounts/{found[-1]['account']}")["balance"]


# Tests of successful payments.


def test_an_order_is_paid_immediately(shop, bank, alice):
    order = shop.order(payment=by_wallet(alice))
    assert order["state"] == "succeeded" and order["paid_amount"] == order["amount"] == AMOUNT
    [payment] = order["payments"]
    assert (payment["state"], payment["channel"], payment["method"]) == ("succeeded", "wallet", "balance")
    assert payment["paid_amount"] == AMOUNT and payment["action"]["type"] == "none"
    [receipt] = shop.api.payment(payment["id"])["receipts"]
    assert (receipt["state"], receipt["channel"], receipt["amount"]) == ("accepted", "wallet", AMOUNT)
    assert shop.api.order(order["id"]) == order


def test_a_transfer_moves_the_money(shop, bank, alice):
    order = paid_order(shop, alice)
    payment = order["payments"][0]
    transfer = transfer_of(bank, payment)
    assert transfer["state"] == "posted" and transfer["amount"] == AMOUNT and transfer["debit_account"] == alice["id"]
    [receipt] = shop.api.payment(payment["id"])["receipts"]
    assert receipt["channel_trade_no"] == payment["channel_trade_no"] == transfer["id"]
    entry = bank.check(alice, balance=5000 - AMOUNT)[0]
    assert (entry["type"], entry["amount"], entry["source"], entry["transfer"]) == (
        "wallet_paid", -AMOUNT, "wallet", transfer["id"])
    assert receivable_of_wallet(shop, order) == 0


def test_the_merchant_is_notified_and_everything_is_recorded(shop, alice):
    order = paid_order(shop, alice)
    shop.check_notification(order)
    shop.check_events(order)
    kinds = {item["kind"] for item in shop.api.timeline(order["id"])}
    assert {"event", "entry", "delivery"} <= kinds


def test_the_timeline_contains_both_sides(shop, bank, alice):
    """The timeline contains each entry of the payer's and the merchant's accounts once, and no entry of another
    order."""
    paid_order(shop, alice)
    order = shop.order()
    pay(shop, order, bank.open())  # the account is empty, so the payment fails without entries
    payment = pay(shop, order, alice)
    for part in [500, AMOUNT - 500]:
        assert shop.api.create_refund(payment["id"], amount=part)["state"] == "succeeded"
    entries = entries_of(shop, order)
    payers = [entry for entry in entries if entry["account_kind"] == "user"]
    assert [(entry["type"], entry["amount"]) for entry in payers] == [
        ("wallet_paid", -AMOUNT), ("wallet_refunded", 500), ("wallet_refunded", AMOUNT - 500)]
    statement = bank.entries(alice)[:3][::-1]
    for field in ["id", "account", "balance_before", "balance_after"]:
        assert [entry[field] for entry in payers] == [entry[field] for entry in statement]
    by_type = collections.Counter()
    for entry in entries:
        by_type[entry["type"]] += entry["amount"]
    assert {"receipt_accepted", "wallet_paid", "wallet_refunded", "refund_succeeded"} <= by_type.keys()
    assert not any(by_type.values()), "one side of a journal is missing"
    assert len({entry["id"] for entry in entries}) == len(entries)


def test_the_timeline_of_an_order_that_was_refused_has_no_entries(shop, bank):
    assert entries_of(shop, shop.order(payment=by_wallet(bank.open()))) == []


def test_a_later_payment_over_the_wallet(shop, bank, alice):
    order = shop.order()
    payment = pay(shop, order, alice, method="balance", merchant_payment_no="first")
    assert payment["state"] == "succeeded" and payment["merchant_payment_no"] == "first"
    assert shop.api.order(order["id"])["state"] == "succeeded"
    assert shop.api.query(payment["id"])["state"] == "succeeded"
    bank.check(alice, balance=5000 - AMOUNT)


def test_the_last_cent_and_the_overdraft_can_be_spent(shop, bank):
    alice = bank.open(balance=1500, overdraft=499)
    paid_order(shop, alice)
    bank.check(alice, balance=-499)


def test_the_wallet_beside_a_payment_that_waits(shop, alice):
    order = shop.order_paid_by("sandbox", "manual")
    assert pay(shop, order, alice)["state"] == "succeeded"
    shop.check_quiet(order)
    order = shop.api.order(order["id"])
    assert order["state"] == "succeeded"
    assert [payment["state"] for payment in order["payments"]] == ["closed", "succeeded"]
    assert shop.sandbox.trade_of(order["payments"][0])["paid"] == 0


def test_a_concurrent_payment_over_another_channel_is_returned(shop, bank, alice):
    order = shop.order_paid_by("sandbox", "pays_on_close")
    shop.api.payment_when(order["payments"][0]["id"], "pending")
    pay(shop, order, alice)
    shop.check_quiet(order)

    def returned(now):
        elsewhere = now["payments"][0]
        return elsewhere["paid_amount"] == elsewhere["reversed_amount"] == AMOUNT

    order = shop.api.order_when(order["id"], returned, "has its money back", timeout=30)
    assert order["state"] == "succeeded" and order["paid_amount"] == AMOUNT
    bank.check(alice, balance=5000 - AMOUNT)


def test_no_wallet_payment_while_a_result_is_outstanding(shop, bank, alice):
    order = shop.order(payment={"channel": "sandbox", "scenario": "request_lost"})
    assert order["state"] == "processing"
    assert pay(shop, order, alice, expect=409)["code"] == "payment_in_progress"
    assert len(shop.api.order(order["id"])["payments"]) == 1
    bank.check(alice, balance=5000)


# Tests that an order is paid at most once.


def test_the_same_account_pays_an_order_once(shop, bank, alice):
    order = shop.order()
    payment = pay(shop, order, alice)
    assert pay(shop, order, alice, expect=200) == payment
    assert pay(shop, order, alice, expect=200, merchant_payment_no="another")["id"] == payment["id"]
    order = shop.api.order(order["id"])
    assert order["payments"] == [payment]
    bank.check(alice, balance=5000 - AMOUNT)


def test_another_account_cannot_pay_the_order_again(shop, bank, alice):
    order, bob = paid_order(shop, alice), bank.open(balance=5000)
    problem = pay(shop, order, bob, expect=409)
    assert problem["code"] == "order_not_payable" and problem["state"] == "succeeded"
    bank.check(bob, balance=5000)


def test_the_same_numbers_are_the_same_objects(shop, bank, alice):
    body = order_body(payment=by_wallet(alice, merchant_payment_no="first"))
    order = shop.api.post("/v1/orders", body, expect=201)
    assert shop.api.post("/v1/orders", body, expect=200) == order
    bob = bank.open(balance=5000)
    conflict = body | {"payment": by_wallet(bob, merchant_payment_no="first")}
    assert shop.api.post("/v1/orders", conflict, expect=409)["code"] == "merchant_order_no_conflict"
    assert pay(shop, order, bob, expect=409, merchant_payment_no="first")["code"] == "merchant_payment_no_conflict"
    assert pay(shop, order, alice, expect=200, merchant_payment_no="first") == order["payments"][0]
    bank.check(alice, balance=5000 - AMOUNT)
    bank.check(bob, balance=5000)


def test_a_refused_payment_is_the_same_payment_under_its_number(shop, bank):
    order, poor = shop.order(), bank.open()
    payment = pay(shop, order, poor, merchant_payment_no="first")
    assert payment["state"] == "failed"
    bank.transfer(bank.till(), poor, 5000)
    assert pay(shop, order, poor, expect=200, merchant_payment_no="first") == payment
    assert pay(shop, order, poor, merchant_payment_no="second")["state"] == "succeeded"
    bank.check(poor, balance=5000 - AMOUNT)


def test_a_response_is_replayed_under_its_key(shop, bank, alice):
    order, key = shop.order(), {"Idempotency-Key": str(uuid.uuid4())}
    first = shop.api.request("POST", payment_path(order), json=by_wallet(alice), headers=key)
    again = shop.api.request("POST", payment_path(order), json=by_wallet(alice), headers=key)
    assert first.status_code == again.status_code == 201 and first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true"
    bank.check(alice, balance=5000 - AMOUNT)


# Tests of payments that fail because the account refuses the debit.


@pytest.mark.parametrize("code, prepare", [
    ("insufficient_balance", lambda bank, account: bank.hold(account, bank.till(), 5001 - AMOUNT)),
    ("account_frozen", lambda bank, account: bank.change(account, "freeze")),
    ("account_closed", lambda bank, account: (bank.transfer(account, bank.till(), 5000),
                                              bank.change(account, "close")))])
def test_a_refusal_by_the_account_fails_the_payment(shop, bank, alice, code, prepare):
    prepare(bank, alice)
    before = bank.account(alice)
    order = shop.order(payment=by_wallet(alice))
    [payment] = order["payments"]
    assert order["state"] == "pending" and order["paid_amount"] == 0
    assert payment["state"] == "failed" and payment["failure"]["code"] == code and payment["failure"]["message"]
    assert shop.api.payment(payment["id"])["receipts"] == [] and bank.account(alice) == before
    refused = transfer_of(bank, payment)
    assert (refused["state"], refused["refusal"], refused["debit_account"]) == ("refused", code, alice["id"])
    check_chain(shop.api.all("/v1/events", object=payment["id"]), payment)
    assert pay(shop, order, bank.open(balance=AMOUNT))["state"] == "succeeded"


def test_the_only_attempt_fails(shop, bank):
    order = shop.order(attempts=1, payment=by_wallet(bank.open()))
    assert order["state"] == "failed"
    shop.check_notification(order)


def test_an_order_that_is_over_is_not_paid(shop, bank, alice):
    order = shop.order()
    shop.api.close(order["id"])
    assert pay(shop, order, alice, expect=409)["code"] == "order_not_payable"
    bank.check(alice, balance=5000)


# Tests of requests that are refused without creating a payment.


def test_a_locked_account_pays_only_with_the_holders_token(shop, bank, alice):
    order, token, key = shop.order(), bank.lock(alice)["token"], {"Idempotency-Key": str(uuid.uuid4())}
    for shown in [{}, {"lock_token": "1"}]:
        response = shop.api.request("POST", payment_path(order), json=by_wallet(alice, **shown), headers=key)
        assert response.status_code == 409 and response.json()["code"] == "account_locked"
        assert int(response.headers["Retry-After"]) >= 1
        key = None
    with_payment = order_body(payment=by_wallet(alice))
    assert shop.api.post("/v1/orders", with_payment, expect=409)["code"] == "account_locked"
    assert shop.api.get("/v1/orders", params={"merchant_order_no": with_payment["merchant_order_no"]})["data"] == []
    assert shop.api.order(order["id"]) == order
    assert pay(shop, order, alice, lock_token=token)["state"] == "succeeded"
    bank.unlock(alice, token)
    assert pay(shop, shop.order(), alice, lock_token=token, expect=409)["code"] == "account_locked"  # stale
    assert shop.api.post("/v1/orders", with_payment, expect=201)["state"] == "succeeded"
    bank.check(alice, balance=5000 - 2 * AMOUNT)


def test_an_unknown_account_leaves_no_payment(shop, bank, other):
    order = shop.order()
    for account in [UNKNOWN_ACCOUNT, Bank(other.api, other.operator).open(overdraft=10_000)]:
        assert pay(shop, order, account, expect=404)["code"] == "not_found"
        body = order_body(payment=by_wallet(account))
        shop.api.post("/v1/orders", body, expect=404)
        assert shop.api.get("/v1/orders", params={"merchant_order_no": body["merchant_order_no"]})["data"] == []
    assert shop.api.order(order["id"]) == order


def test_a_ledger_account_cannot_pay(shop, alice):
    paid = paid_order(shop, alice)
    books = {entry["account"] for entry in entries_of(shop, paid)} - {alice["id"]}
    assert len(books) >= 2
    order = shop.order()
    for account in books:
        assert pay(shop, order, {"id": account}, expect=404)["code"] == "not_found"


def test_another_currency_leaves_no_payment(shop, bank):
    order, dollars = shop.order(), bank.open(currency="USD", overdraft=10_000)
    assert pay(shop, order, dollars, expect=422)["code"] == "currency_mismatch"
    body = order_body(payment=by_wallet(dollars))
    assert shop.api.post("/v1/orders", body, expect=422)["code"] == "currency_mismatch"
    assert shop.api.order(order["id"]) == order
    assert shop.order(currency="USD", payment=by_wallet(dollars))["state"] == "succeeded"
    bank.check(dollars, balance=-AMOUNT)


@pytest.mark.parametrize("field, value", cases_of({
    "account": NO_ACCOUNTS, "lock_token": TEXTS, "method": ["", "web", 5], "scenario": ["pays"], "colour": ["red"]}))
def test_a_wrong_field(shop, field, value):
    order, payment = shop.order(), by_wallet(UNKNOWN_ACCOUNT) | {field: value}
    check_wrong(shop.api.request("POST", payment_path(order), json=payment), field)
    response = shop.api.request("POST", "/v1/orders", json=order_body(payment=payment))
    assert response.status_code == 400 and response.json()["param"] == f"payment.{field}"


def test_only_the_wallet_accepts_an_account_and_requires_it(shop, alice):
    order = shop.order()
    check_wrong(shop.api.request("POST", payment_path(order), json={"channel": "wallet"}), "account")
    for field, value in [("account", alice["id"]), ("lock_token", "1-x")]:
        check_wrong(shop.api.request("POST", payment_path(order), json={"channel": "sandbox", field: value}), field)
    assert shop.api.order(order["id"]) == order


# Tests of refunds.


def test_refunds_are_paid_to_the_account_immediately(shop, bank, alice):
    order = paid_order(shop, alice)
    payment = order["payments"][0]
    first = shop.api.create_refund(payment["id"], amount=500)
    assert first["state"] == "succeeded" and first["attempts"] == 1
    problem = shop.api.create_refund(payment["id"], amount=AMOUNT - 499, expect=409)
    assert problem["code"] == "refund_exceeds_paid"
    second = shop.api.create_refund(payment["id"])
    assert second["amount"] == AMOUNT - 500 and second["state"] == "succeeded"
    assert shop.api.create_refund(payment["id"], amount=1, expect=409)["code"] in {
        "refund_exceeds_paid", "payment_not_refundable"}
    entries = bank.check(alice, balance=5000)
    assert [(entry["type"], entry["amount"], entry["source"]) for entry in entries[:3]] == [
        ("wallet_refunded", AMOUNT - 500, "wallet"), ("wallet_refunded", 500, "wallet"),
        ("wallet_paid", -AMOUNT, "wallet")]
    order = shop.api.order(order["id"])
    assert order["state"] == "succeeded" and order["refunded_amount"] == AMOUNT
    assert receivable_of_wallet(shop, order) == 0


def test_the_same_refund_is_paid_once(shop, bank, alice):
    payment = paid_order(shop, alice)["payments"][0]
    body = {"payment": payment["id"], "merchant_refund_no": f"e2e-{uuid.uuid4().hex}", "amount": 500}
    refund = shop.api.post("/v1/refunds", body, expect=201)
    assert shop.api.post("/v1/refunds", body, expect=200) == refund
    assert shop.api.post("/v1/refunds", body | {"amount": 501}, expect=409)["code"] == "merchant_refund_no_conflict"
    bank.check(alice, balance=5000 - AMOUNT + 500)


@pytest.mark.parametrize("prepare", [lambda bank, account: bank.change(account, "freeze"),
                                     lambda bank, account: bank.lock(account)], ids=["frozen", "locked"])
def test_a_frozen_or_locked_account_receives_a_refund(shop, bank, alice, prepare):
    payment = paid_order(shop, alice)["payments"][0]
    prepare(bank, alice)
    assert shop.api.create_refund(payment["id"])["state"] == "succeeded"
    bank.check(alice, balance=5000)


def test_a_refund_to_a_closed_account_fails_and_the_merchant_keeps_the_money(shop, bank):
    alice = bank.open(balance=AMOUNT)
    order = paid_order(shop, alice)
    bank.change(alice, "close")
    refund = shop.api.create_refund(order["payments"][0]["id"])
    assert refund["state"] == "failed" and refund["failure"]["code"] == "account_closed"
    assert shop.api.order(order["id"])["refunded_amount"] == 0
    bank.check(alice, balance=0)
    direct = [entry["amount"] for entry in entries_of(shop, order) if entry["account_kind"] == "merchant_direct"]
    assert sum(direct) == AMOUNT and receivable_of_wallet(shop, order) == 0
    assert "merchant_payable" not in {entry["account_kind"] for entry in entries_of(shop, order)}


def test_the_wallets_transfers_cannot_be_reversed(shop, bank, alice):
    payment = paid_order(shop, alice)["payments"][0]
    problem = bank.reverse(payment["out_trade_no"], source="wallet", expect=400)
    assert problem["param"] == "source"
    assert bank.reverse(payment["out_trade_no"])["id"] != transfer_of(bank, payment)["id"]  # a tombstone of "api"
    assert transfer_of(bank, payment)["state"] == "posted"

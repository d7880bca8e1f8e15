"""The lock of an account: a lease with a fencing token. A debit of a locked account requires the current token; a stale
token is refused."""

import concurrent.futures
import datetime
import uuid

import pytest

from account_fixtures import hold_body, transfer_body
from wait import until
from wrong_input import INTEGERS, TEXTS, cases_of, check_wrong

UNKNOWN_ACCOUNT = {"id": "acc_0000000000001"}
CLIENTS = 16


def number_of(lock):
    return int(lock["token"].split("-")[0])


def is_locked(response):
    """Checks that the response is the refusal `account_locked` with a Retry-After header. Returns its body."""
    problem = response.json()
    assert response.status_code == 409 and problem["code"] == "account_locked", response.text
    assert int(response.headers["Retry-After"]) >= 1
    return problem


def post(bank, path, body):
    return bank.api.request("POST", path, json=body)


def expired_lease(bank, account, **fields):
    """Locks the account and returns the lock after its lease has expired. No request released the lock."""
    lock = bank.lock(account, ttl=1, **fields)
    until(lambda: "lock" not in bank.account(account), "the lease has run out", timeout=10)
    return lock


# Tests of locking and renewing.


def test_a_lock_is_a_lease_with_a_token(bank, alice):
    begin = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(milliseconds=1)
    lock = bank.lock(alice, owner="worker 1", ttl=60)
    lasts = datetime.datetime.fromisoformat(lock["expires_at"]) - begin
    assert lock["object"] == "account_lock" and lock["account"] == alice["id"] and lock["owner"] == "worker 1"
    assert datetime.timedelta(seconds=60) <= lasts < datetime.timedelta(seconds=80)
    now = bank.account(alice)
    assert now["lock"] == {"owner": "worker 1", "expires_at": lock["expires_at"]}
    # Only the client that took the lock sees the token.
    assert lock["token"] not in bank.api.request("GET", "/v1/accounts").text
    assert lock["token"] not in bank.api.request("GET", f"/v1/events?object={alice['id']}").text


def test_only_one_client_holds_the_lock(bank, alice):
    lock = bank.lock(alice, owner="worker-1")
    for owner in ["worker-2", "worker-1"]:  # only the token identifies the holder, not the owner's name
        problem = is_locked(post(bank, f"/v1/accounts/{alice['id']}/lock", {"owner": owner, "ttl": 60}))
        assert "worker-1" in problem["detail"]
    assert bank.account(alice)["lock"]["expires_at"] == lock["expires_at"]


def test_one_of_many_concurrent_clients_gets_the_lock(bank, alice):
    def ask(number):
        return post(bank, f"/v1/accounts/{alice['id']}/lock", {"owner": f"worker-{number}", "ttl": 60})

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
        answers = list(clients.map(ask, range(CLIENTS)))
    [taken] = [answer.json() for answer in answers if answer.status_code == 200]
    assert bank.account(alice)["lock"]["owner"] == taken["owner"]
    for answer in answers:
        assert answer.status_code == 200 or is_locked(answer)


def test_the_number_of_a_lock_rises(bank, alice):
    tokens = []
    for _ in range(5):
        lock = bank.lock(alice)
        tokens.append(lock["token"])
        bank.unlock(alice, lock["token"])
    numbers = [int(token.split("-")[0]) for token in tokens]
    assert numbers == sorted(set(numbers)) and len({token.split("-", 1)[1] for token in tokens}) == 5


def test_the_holder_renews_its_lease(bank, alice, bob):
    lock = bank.lock(alice, ttl=60)
    renewed = bank.lock(alice, owner="worker-1b", ttl=600, token=lock["token"])
    assert renewed["token"] == lock["token"] and renewed["expires_at"] > lock["expires_at"]
    assert bank.account(alice)["lock"] == {"owner": "worker-1b", "expires_at": renewed["expires_at"]}
    bank.transfer(alice, bob, 1, lock_token=lock["token"])


def test_only_the_holder_renews_the_lease(bank, alice):
    lock = bank.lock(alice)
    wrong = {"owner": "worker-2", "ttl": 600, "token": lock["token"] + "0"}
    assert is_locked(post(bank, f"/v1/accounts/{alice['id']}/lock", wrong))["param"] == "token"
    assert bank.account(alice)["lock"]["expires_at"] == lock["expires_at"]


def test_a_frozen_account_can_be_locked(bank, alice):
    bank.change(alice, "freeze")
    lock = bank.lock(alice)
    bank.change(alice, "unfreeze")
    assert bank.account(alice)["lock"]["owner"] == lock["owner"]


def test_one_key_creates_one_lock(bank, alice):
    key, path = {"Idempotency-Key": str(uuid.uuid4())}, f"/v1/accounts/{alice['id']}/lock"
    first = bank.api.request("POST", path, json={"owner": "worker-1", "ttl": 60}, headers=key)
    again = bank.api.request("POST", path, json={"owner": "worker-1", "ttl": 60}, headers=key)
    assert first.status_code == again.status_code == 200 and first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true"


# Tests of requests while the account is locked.


@pytest.mark.parametrize("token", [None, "1", "2-0", "x"])
def test_nothing_leaves_without_the_token(bank, alice, bob, token):
    hold = bank.hold(alice, bob, 100)
    bank.lock(alice)
    before, shown = bank.account(alice), {} if token is None else {"lock_token": token}
    moved, held = transfer_body(alice, bob, 1) | shown, hold_body(alice, bob, 1) | shown
    is_locked(post(bank, "/v1/transfers", moved))
    is_locked(post(bank, "/v1/holds", held))
    is_locked(post(bank, f"/v1/holds/{hold['id']}/post", shown))
    assert bank.account(alice) == before and bank.get_hold(hold) == hold
    assert bank.transfers_named(moved["reference"]) == []  # the refusal is not stored, so the client may retry
    assert bank.api.get("/v1/holds", params={"reference": held["reference"]})["data"] == []


def test_the_holder_can_transfer_and_hold(bank, alice, bob):
    token = bank.lock(alice)["token"]
    bank.transfer(alice, bob, 1, lock_token=token)
    hold = bank.hold(alice, bob, 10, lock_token=token)
    bank.post_hold(hold, lock_token=token)
    bank.post_hold(bank.hold(alice, bob, 100, lock_token=token), amount=50, lock_token=token)
    bank.check(alice, balance=939, held=0)
    assert "lock" in bank.account(alice)


def test_a_locked_account_receives_money_and_its_holds_can_be_voided(bank, alice, bob):
    hold = bank.hold(alice, bob, 100)
    bank.lock(alice)
    bank.transfer(bank.till(), alice, 5)
    bank.post_hold(bank.hold(bank.till(), alice, 5))
    assert bank.void_hold(hold)["state"] == "voided"
    bank.check(alice, balance=1010, held=0)


@pytest.mark.parametrize("token", [None, "1", "2-0", "x"])
def test_a_received_transfer_is_not_reversed_without_the_token(bank, alice, token):
    came_in = bank.transfer(bank.till(), alice, 5)
    bank.lock(alice)
    before, till = bank.account(alice), bank.account(bank.till())
    body = {"reference": came_in["reference"]} | ({} if token is None else {"lock_token": token})
    problem = is_locked(post(bank, "/v1/transfers/reverse", body))
    assert problem.get("param") == (None if token is None else "lock_token")
    assert bank.account(alice) == before and bank.account(bank.till()) == till
    assert bank.transfers_named(came_in["reference"]) == [came_in]


def test_the_holder_reverses_a_received_transfer(bank, alice):
    came_in, key = bank.transfer(bank.till(), alice, 5), {"Idempotency-Key": str(uuid.uuid4())}
    token = bank.lock(alice)["token"]
    without = {"reference": came_in["reference"]}
    is_locked(bank.api.request("POST", "/v1/transfers/reverse", json=without, headers=key))
    bank.check(alice, balance=1005)
    returned = bank.reverse(came_in["reference"], lock_token=token)
    assert returned["state"] == "reversed" and returned["id"] == came_in["id"]
    assert bank.reverse(came_in["reference"])["state"] == "reversed"  # no further debit: no token needed
    bank.check(alice, balance=1000)
    again = bank.api.request("POST", "/v1/transfers/reverse", json=without, headers=key)
    assert again.status_code == 200 and "Idempotent-Replayed" not in again.headers  # the lock's refusal was not stored


def test_a_reversal_returns_money_to_a_locked_account(bank, alice, bob):
    """A reversal debits the payee, so the lock of the payer does not apply, and its token is refused."""
    went_out = bank.transfer(alice, bob, 5)
    token = bank.lock(alice)["token"]
    is_locked(post(bank, "/v1/transfers/reverse", {"reference": went_out["reference"], "lock_token": token}))
    bank.check(bob, balance=5)
    assert bank.reverse(went_out["reference"])["state"] == "reversed"
    bank.check(alice, balance=1000)


def test_a_reversal_before_its_transfer_needs_no_token(bank, alice):
    bank.lock(alice)
    late = transfer_body(bank.till(), alice, 5)
    assert bank.reverse(late["reference"])["state"] == "reversed"
    assert post(bank, "/v1/transfers", late).json()["code"] == "already_reversed"
    bank.check(alice, balance=1000)


def test_the_locks_of_two_accounts_are_independent(bank, alice):
    rich, token = bank.open(balance=100), bank.lock(alice)["token"]
    other_token = bank.lock(rich)["token"]
    assert token != other_token
    is_locked(post(bank, "/v1/transfers", transfer_body(rich, alice, 1, lock_token=token)))
    bank.transfer(rich, alice, 1, lock_token=other_token)


def test_a_temporary_refusal_is_not_stored(bank, alice, bob):
    lock, key = bank.lock(alice), {"Idempotency-Key": str(uuid.uuid4())}
    body = transfer_body(alice, bob, 100)
    is_locked(bank.api.request("POST", "/v1/transfers", json=body, headers=key))
    bank.unlock(alice, lock["token"])
    made = bank.api.request("POST", "/v1/transfers", json=body, headers=key)
    assert made.status_code == 201 and "Idempotent-Replayed" not in made.headers
    bank.check(bob, balance=100)


# Tests of unlocking.


def test_the_holder_releases_the_lock(bank, alice, bob):
    lock = bank.lock(alice)
    free = bank.unlock(alice, lock["token"])
    assert free["object"] == "account" and "lock" not in free and free == bank.account(alice)
    assert bank.unlock(alice, lock["token"]) == free  # the response to the first request may have been lost
    bank.transfer(alice, bob, 1)


@pytest.mark.parametrize("token", ["1", "2-0", "x"])
def test_only_the_holder_releases_the_lock(bank, alice, token):
    lock = bank.lock(alice)
    assert is_locked(post(bank, f"/v1/accounts/{alice['id']}/unlock", {"token": token}))["param"] == "token"
    assert bank.account(alice)["lock"]["expires_at"] == lock["expires_at"]


def test_a_stale_token_is_refused_even_when_the_account_is_free(bank, alice, bob):
    hold, came_in = bank.hold(alice, bob, 100), bank.transfer(bank.till(), alice, 5)
    token = bank.lock(alice)["token"]
    bank.unlock(alice, token)
    body = transfer_body(alice, bob, 1, lock_token=token)
    assert is_locked(post(bank, "/v1/transfers", body))["param"] == "lock_token"
    is_locked(post(bank, "/v1/holds", hold_body(alice, bob, 1, lock_token=token)))
    is_locked(post(bank, f"/v1/holds/{hold['id']}/post", {"lock_token": token}))
    is_locked(post(bank, "/v1/transfers/reverse", {"reference": came_in["reference"], "lock_token": token}))
    is_locked(post(bank, f"/v1/accounts/{alice['id']}/lock", {"owner": "worker-1", "ttl": 60, "token": token}))
    bank.check(alice, balance=1005, held=100)
    bank.transfer(alice, bob, 1)
    bank.reverse(came_in["reference"])


# Tests of the expiry of leases.


def test_an_expired_lease_needs_no_cleanup(bank, alice, bob):
    lock = expired_lease(bank, alice)
    before = bank.account(alice)
    assert before["version"] == alice["version"] + 1  # the expiry writes nothing
    bank.transfer(alice, bob, 1)
    assert number_of(bank.lock(alice, owner="worker-2")) > number_of(lock)


def test_a_holder_with_an_expired_lease_cannot_spend_unlock_or_renew(bank, alice, bob):
    """The token of an expired lease is stale: its fencing number is lower than that of the current token."""
    first = expired_lease(bank, alice, owner="worker-1")
    is_locked(post(bank, "/v1/transfers", transfer_body(alice, bob, 1, lock_token=first["token"])))
    is_locked(post(bank, f"/v1/accounts/{alice['id']}/lock", {"owner": "worker-1", "ttl": 60, "token": first["token"]}))
    second = bank.lock(alice, owner="worker-2")
    is_locked(post(bank, "/v1/transfers", transfer_body(alice, bob, 1, lock_token=first["token"])))
    is_locked(post(bank, f"/v1/accounts/{alice['id']}/unlock", {"token": first["token"]}))
    is_locked(post(bank, f"/v1/accounts/{alice['id']}/lock", {"owner": "worker-1", "ttl": 60, "token": first["token"]}))
    assert bank.account(alice)["lock"] == {"owner": "worker-2", "expires_at": second["expires_at"]}
    is_locked(post(bank, "/v1/transfers", transfer_body(alice, bob, 1)))
    bank.transfer(alice, bob, 1, lock_token=second["token"])
    bank.check(alice, balance=999)


# Tests of invalid requests.


@pytest.mark.parametrize("field, value", cases_of({
    "owner": [*TEXTS, "o" * 129], "ttl": [*INTEGERS, 0, -1, 86_401, 10**30], "token": TEXTS, "colour": ["red"]}))
def test_a_wrong_field_of_a_lock(bank, field, value):
    body = {"owner": "worker-1", "ttl": 60} | {field: value}
    check_wrong(post(bank, f"/v1/accounts/{UNKNOWN_ACCOUNT['id']}/lock", body), field)


@pytest.mark.parametrize("field, value", cases_of({"token": TEXTS, "owner": ["worker-1"]}))
def test_a_wrong_field_of_an_unlock(bank, field, value):
    check_wrong(post(bank, f"/v1/accounts/{UNKNOWN_ACCOUNT['id']}/unlock", {"token": "1-x"} | {field: value}), field)


@pytest.mark.parametrize("path, body, field", [("lock", {"ttl": 60}, "owner"), ("lock", {"owner": "x"}, "ttl"),
                                               ("unlock", {}, "token")])
def test_a_missing_field(bank, path, body, field):
    check_wrong(post(bank, f"/v1/accounts/{UNKNOWN_ACCOUNT['id']}/{path}", body), field)


def test_the_limits_are_allowed_and_named(bank, alice):
    assert "86400" in check_wrong(post(bank, f"/v1/accounts/{alice['id']}/lock", {"owner": "x", "ttl": 86_401}), "ttl")
    lock = bank.lock(alice, owner="工" * 128, ttl=86_400)
    assert lock["owner"] == "工" * 128

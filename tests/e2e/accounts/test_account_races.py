"""256 concurrent clients use a small ring of accounts: transfers, reversals, locks, holds that are posted, voided or
expire, and wallet payments of the same orders. No account exceeds its overdraft, the sum of all balances stays
constant, and every accepted request has exactly one effect."""

import collections
import dataclasses
import http.client
import json
import os
import random
import threading
import time
import urllib.parse

import pytest

from account_fixtures import Bank, check_chain
from conftest import FAST
from wait import until

CLIENTS = 256
ACTIONS = 80
AT_MOST_S = 12.0  # clients start no operation after this time
RING = 5
BALANCE = 3000
OVERDRAFTS = [0, 0, 400, 0, 1000]
LOCKED = 2  # number of accounts in the ring that clients lock
ORDERS = 60
SHARED = 24  # transfer bodies that several clients send with the same reference
SEED = int(os.environ.get("FINALITY_RACE_SEED", random.SystemRandom().randrange(1, 10**6)))
REFUSALS = {
    "transfer": {"insufficient_balance", "account_locked", "already_reversed"},
    "reverse": {"insufficient_balance", "account_locked"},
    "hold": {"insufficient_balance", "account_locked"},
    "post": {"hold_not_open", "account_locked"},
    "void": {"hold_not_open"},
    "lock": {"account_locked"},
    "locked transfer": {"insufficient_balance", "account_locked"},  # account_locked: the lease may have expired
    "unlock": {"account_locked"},
    "pay": {"order_not_payable", "account_locked"},
}


@dataclasses.dataclass(frozen=True)
class Answer:
    kind: str
    status: int
    json: dict

    @property
    def accepted(self):
        return self.status < 300


class Client:
    """API client of the merchant with its own connection and random generator. Runs random operations until a
    deadline."""

    def __init__(self, number, base_url, key, world):
        self.answers = []
        self._number = number
        self._dice = random.Random(SEED * 1000 + number)
        address = urllib.parse.urlsplit(base_url)
        self._connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._world = world
        self._references = []
        self._holds = []

    def play(self, start, deadline):
        kinds = [self._transfer] * 5 + [self._shared_transfer] * 2 + [self._hold] * 4 + [self._end_hold] * 4 + [
            self._reverse] * 2 + [self._lock] * 2 + [self._pay] * 4
        start.wait()
        for place in range(ACTIONS):
            if time.monotonic() > deadline:
                break
            self._dice.choice(kinds)(f"{self._number}-{place}")
        self._connection.close()

    def _post(self, kind, path, body=None):
        self._connection.request("POST", path, json.dumps(body or {}), self._headers)
        response = self._connection.getresponse()
        answer = Answer(kind, response.status, json.loads(response.read()))
        self.answers.append(answer)
        return answer

    def _body(self, reference, place=None):
        place = self._dice.randrange(RING) if place is None else place
        ring = self._world.ring
        return {"credit_account": ring[(place + 1) % RING]["id"], "amount": self._dice.randrange(1, 400),
                "currency": "CNY", "reference": reference}, ring[place]["id"]

    def _transfer(self, reference):
        body, account = self._body(reference)
        self._references.append(reference)
        self._post("transfer", "/v1/transfers", body | {"debit_account": account})

    def _shared_transfer(self, _):
        self._post("transfer", "/v1/transfers", self._dice.choice(self._world.shared))

    def _reverse(self, reference):
        known = self._dice.choice(self._references) if self._references and self._dice.random() < 0.7 else reference
        self._references.append(known)
        self._post("reverse", "/v1/transfers/reverse", {"reference": known})
        if known == reference:
            body, account = self._body(reference)
            self._post("transfer", "/v1/transfers", body | {"debit_account": account})

    def _hold(self, reference):
        body, account = self._body(reference)
        body |= {"account": account, "expires_in": 1}
        hold = self._post("hold", "/v1/holds", body)
        if hold.accepted:
            self._holds.append(hold.json)

    def _end_hold(self, _):
        """Posts or voids a random hold. Some of these requests arrive after the expiry, and some repeat an earlier
        request. Holds that no request ends expire."""
        if not self._holds:
            return
        hold = self._dice.choice(self._holds)
        if self._dice.random() < 0.7:
            self._holds.remove(hold)
        path = f"/v1/holds/{hold['id']}"
        if self._dice.random() < 0.3:
            self._post("void", f"{path}/void")
        else:
            part = {"amount": max(1, hold["amount"] // 2)} if self._dice.random() < 0.5 else {}
            self._post("post", f"{path}/post", part)

    def _lock(self, reference):
        place = self._dice.randrange(LOCKED)
        path = f"/v1/accounts/{self._world.ring[place]['id']}"
        lock = self._post("lock", f"{path}/lock", {"owner": f"client {self._number}", "ttl": 1})
        if not lock.accepted:
            return
        body, account = self._body(reference, place)
        token = lock.json["token"]
        self._post("locked transfer", "/v1/transfers", body | {"debit_account": account, "lock_token": token})
        if self._dice.random() < 0.9:  # without this request the lease expires
            self._post("unlock", f"{path}/unlock", {"token": token})

    def _pay(self, _):
        order, account = self._dice.choice(self._world.orders), self._dice.choice(self._world.ring)
        self._post("pay", f"/v1/orders/{order['id']}/payments", {"channel": "wallet", "account": account["id"]})


class World:
    """Accounts, orders and transfer bodies that all clients share."""

    def __init__(self, bank):
        self.bank = bank
        self.ring = [bank.open(balance=BALANCE, name=f"ring {number}", overdraft=overdraft)
                     for number, overdraft in enumerate(OVERDRAFTS)]
        dice = random.Random(SEED)
        self.orders = [bank.api.create_order(amount=dice.randrange(1, 150)) for _ in range(ORDERS)]
        self.shared = [{"debit_account": self.ring[number % RING]["id"],
                        "credit_account": self.ring[(number + 2) % RING]["id"], "amount": dice.randrange(1, 200),
                        "currency": "CNY", "reference": f"shared-{number}"} for number in range(SHARED)]


@pytest.fixture(scope="module")
def module_server(start_server):
    return start_server("races", FAST)


@pytest.fixture(scope="module")
def world(contract, module_server):
    return World(Bank.of_demo(contract, module_server.demo))


@pytest.fixture(scope="module")
def answers(world, module_server):
    """Runs all clients. Returns all responses once every client has finished and no hold is open."""
    print(f"FINALITY_RACE_SEED={SEED}")
    demo = module_server.demo
    clients = [Client(number, demo["base_url"], demo["secret_key"], world) for number in range(CLIENTS)]
    start, deadline = threading.Event(), time.monotonic() + AT_MOST_S
    threads = [threading.Thread(target=client.play, args=(start, deadline)) for client in clients]
    for thread in threads:
        thread.start()
    start.set()
    for thread in threads:
        thread.join()
    until(lambda: not any(world.bank.account(account)["held"] for account in world.ring), "no hold is open")
    return [answer for client in clients for answer in client.answers]


@pytest.fixture(scope="module")
def statements(world, answers):
    """The entries of each account after all requests, by account id, newest first."""
    return {account["id"]: world.bank.entries(account) for account in [*world.ring, world.bank.till()]}


@pytest.fixture(scope="module")
def all_entries(statements):
    return [entry for entries in statements.values() for entry in entries]


def of(answers, kind, accepted=True):
    return [answer for answer in answers if answer.kind == kind and answer.accepted == accepted]


def test_every_request_has_a_response(answers):
    """Every request has an expected response, and every result that the tests depend on has occurred."""
    for answer in answers:
        assert answer.accepted or answer.json["code"] in REFUSALS[answer.kind], (SEED, answer)
        assert answer.status < 500, answer
    tried = collections.Counter((answer.kind, answer.json.get("code", "accepted")) for answer in answers)
    print(dict(tried))
    for kind in REFUSALS:
        assert tried[kind, "accepted"] > 0, (SEED, kind, tried)
    for seen in [("transfer", "insufficient_balance"), ("transfer", "already_reversed"), ("lock", "account_locked"),
                 ("reverse", "account_locked"), ("post", "hold_not_open")]:
        assert tried[seen], (SEED, seen, tried)
    assert len(answers) >= CLIENTS * ACTIONS // 2, "the machine was too slow for a race"


def test_no_account_exceeded_its_limit(world, statements):
    for account in [*world.ring, world.bank.till()]:
        now = world.bank.account(account)
        check_chain(now, statements[account["id"]])
        assert now["held"] == 0, now


def test_no_money_appeared_or_vanished(world, answers):
    balances = sum(world.bank.balance(account) for account in [*world.ring, world.bank.till()])
    spent = sum(order["paid_amount"] for order in map(world.bank.api.order, [one["id"] for one in world.orders]))
    assert balances + spent == 0 and 0 < spent


def test_every_accepted_transfer_was_booked_once(world, answers, all_entries):
    """Each posted transfer has one pair of entries, and a second pair if it was reversed."""
    by_transfer = collections.defaultdict(list)
    for entry in all_entries:
        if entry["type"] in {"transfer", "transfer_reversed"}:
            by_transfer[entry["transfer"]].append(entry)
    named = {answer.json["id"] for kind in ["transfer", "locked transfer", "reverse"] for answer in of(answers, kind)}
    given = {entry["transfer"] for entry in all_entries if entry["account"] == world.bank.till()["id"]}
    assert set(by_transfer) - given <= named, "money moved without an accepted request"
    for transfer_id in named:
        transfer = world.bank.api.get(f"/v1/transfers/{transfer_id}")
        moved = sorted((entry["type"], entry["amount"], entry["account"]) for entry in by_transfer[transfer_id])
        assert moved == sorted(moves_of(transfer)), (SEED, transfer)


def moves_of(transfer):
    """Returns the expected entries of a transfer. A refused transfer has no entries, and neither has a tombstone (a
    reversal that arrived before its transfer)."""
    if transfer["state"] == "refused" or "amount" not in transfer:
        return []
    amount, debit, credit = transfer["amount"], transfer["debit_account"], transfer["credit_account"]
    there = [("transfer", -amount, debit), ("transfer", amount, credit)]
    back = [("transfer_reversed", amount, debit), ("transfer_reversed", -amount, credit)]
    return there + (back if transfer["state"] == "reversed" else [])


def test_a_number_that_many_sent_was_carried_out_once(world, answers):
    shared = {body["reference"] for body in world.shared}
    made = collections.Counter(answer.json["reference"] for answer in of(answers, "transfer")
                               if answer.status == 201 and answer.json["reference"] in shared)
    assert made and set(made.values()) == {1}, made
    for body in world.shared:
        for transfer in world.bank.transfers_named(body["reference"]):
            assert (transfer["state"] == "posted") == (body["reference"] in made), transfer


def test_each_hold_ended_once(world, answers, all_entries):
    posted = {answer.json["id"]: answer.json["posted_amount"] for answer in of(answers, "post")}
    voided = {answer.json["id"] for answer in of(answers, "void")}
    assert len(of(answers, "post")) == len(posted) and len(of(answers, "void")) == len(voided)
    states = collections.Counter()
    for answer in of(answers, "hold"):
        hold = world.bank.get_hold(answer.json)
        states[hold["state"]] += 1
        assert (hold["state"] == "posted") == (hold["id"] in posted), hold
        assert hold["id"] not in voided or hold["state"] == "voided", hold
        amounts = [entry["amount"] for entry in all_entries
                   if entry["type"] == "hold_posted" and entry["reference"] == hold["reference"]]
        amount = posted.get(hold["id"], 0)
        assert hold["posted_amount"] == amount and sorted(amounts) == ([-amount, amount] if amount else []), hold
    assert all(states[state] for state in ["posted", "voided", "expired"]), states


def test_each_lock_had_one_holder(world, answers):
    """Each lock of an account has a distinct fencing number; the fencing numbers start at 1 and have no gaps."""
    for account in world.ring[:LOCKED]:
        locks = locks_of(answers, account)
        assert sorted(locks) == list(range(1, len(locks) + 1)) and len(locks) > 1


def locks_of(answers, account):
    """Returns the locks of the account as {fencing number: lock}. Fails if two locks have the same number."""
    found = [answer.json for answer in of(answers, "lock") if answer.json["account"] == account["id"]]
    locks = {int(lock["token"].split("-")[0]): lock for lock in found}
    assert len(locks) == len(found)
    return locks


def test_only_the_holder_debits_a_locked_account(world, answers, statements):
    """Compares the ids of events and entries, which are assigned in commit order."""
    by_holder = {answer.json["reference"] for answer in of(answers, "locked transfer")}
    seen = 0
    for account in world.ring[:LOCKED]:
        locks, steps = locks_of(answers, account), [(event["id"][4:], event["event"]) for event in
                                                    world.bank.api.all("/v1/events", object=account["id"])][::-1]
        number = 0
        for place, (begin, step) in enumerate(steps):
            if step != "locked":
                continue
            number += 1
            end = steps[place + 1][0] if place + 1 < len(steps) else "z"
            for entry in statements[account["id"]]:
                in_time = begin < entry["id"][4:] < end and entry["created_at"] < locks[number]["expires_at"]
                if entry["amount"] < 0 and in_time:
                    owner = f"client {entry['reference'].split('-')[0]}"
                    assert entry["reference"] in by_holder and owner == locks[number]["owner"], (entry, locks[number])
                    seen += 1
        assert number == len(locks)
    assert seen == len(by_holder) > 0


def test_each_order_was_debited_once(world, answers, all_entries):
    paid = collections.Counter(entry["reference"] for entry in all_entries if entry["type"] == "wallet_paid")
    for order in map(world.bank.api.order, [one["id"] for one in world.orders]):
        succeeded = [payment for payment in order["payments"] if payment["state"] == "succeeded"]
        assert len(succeeded) == int(order["state"] == "succeeded"), order
        assert [paid[payment["out_trade_no"]] for payment in succeeded] == [1] * len(succeeded)
        assert all(paid[each["out_trade_no"]] == 0 for each in order["payments"] if each["state"] != "succeeded")
        reported = {answer.json["id"] for answer in of(answers, "pay")
                if answer.json["order"] == order["id"] and answer.json["state"] == "succeeded"}
        assert reported == {payment["id"] for payment in succeeded}
    assert sum(paid.values()) == sum(order["state"] == "succeeded" for order in map(
        world.bank.api.order, [one["id"] for one in world.orders])) > 0


def test_the_store_keeps_every_invariant(module_server, answers):
    """Must be the last test of the module: stops the server gracefully and audits its store."""
    module_server.stop()
    assert module_server.verify()["checked"]

"""Account operations during the crash rounds of crash_rounds.py: concurrent clients make transfers, holds and wallet
payments. A model computes the expected entries from the responses alone."""

import collections
import contextlib
import random
import threading

import requests

from account_fixtures import Bank
from patient_client import PatientClient

RICH = 10**9
ACCOUNTS = 4
CLIENTS = 4


class AccountStories:
    """Runs the account scenarios of one merchant and checks the entries against the model. Thread-safe."""

    def __init__(self, shop):
        self.bank = Bank(shop.api, shop.operator)
        self.client = PatientClient(shop.api)
        self.accounts = [self.bank.open(balance=RICH, name=f"rich {number}") for number in range(ACCOUNTS)]
        self.poor = self.bank.open(name="poor")
        self.orders = {}  # wallet order id to (expected state, refunded amounts)
        self.holds = {}   # hold id to expected state
        self.stuck = []   # error messages of scenarios that failed
        self.completed = collections.Counter()
        self.shop = shop
        self._lock = threading.Lock()
        self._moves = collections.Counter(key_of(entry) for entry in self._entries())

    @property
    def all_accounts(self):
        return [*self.accounts, self.poor, self.bank.till()]

    def check(self):
        """Checks that each entry that a response acknowledged exists exactly once, and that no other entry exists."""
        found = collections.Counter(key_of(entry) for entry in self._entries())
        missing, doubled = self._moves - found, found - self._moves
        assert not missing and not doubled, f"acknowledged and missing: {missing}; not acknowledged: {doubled}"
        for account in self.all_accounts:
            balance = sum(amount * times for (owner, _, amount, _), times in self._moves.items()
                          if owner == account["id"])
            self.bank.check(account, balance=balance, held=0)

    def play(self, name, dice):
        """Runs all scenarios in a random order, again and again. After each scenario it yields whether every scenario
        has run at least once."""
        stories = list(STORIES)
        dice.shuffle(stories)
        place = 0
        while True:
            for story in stories:
                place += 1
                try:
                    story(self, f"{name}-{place}", dice)
                    with self._lock:
                        self.completed[story.__name__] += 1
                except AssertionError as error:
                    self.stuck.append(f"{story.__name__} {name}-{place}: {error}")
                self._look_at(self.accounts[place % ACCOUNTS])
                yield place >= len(stories)

    def _look_at(self, account):
        """Reads an account. The check of the recorded history compares the returned balance with the concurrent
        transfers."""
        with contextlib.suppress(requests.RequestException):
            self.client.api.request("GET", f"/v1/accounts/{account['id']}")

    # Scenarios: the operations of one client on accounts.

    def transfer(self, number, dice):
        self._post_transfer(number, dice)

    def transfer_refused(self, number, dice):
        body = self._body(number, dice) | {"debit_account": self.poor["id"]}
        problem = self.client.post("/v1/transfers", body, expect=422)
        assert problem["code"] == "insufficient_balance", problem

    def transfer_reversed(self, number, dice):
        there = self._post_transfer(number, dice)
        back = self.client.post("/v1/transfers/reverse", {"reference": number}, expect=200)
        assert back["state"] == "reversed" and back["id"] == there["id"], back
        self._move("transfer_reversed", there["credit_account"], there["debit_account"], there["amount"], number)

    def transfer_after_its_reversal(self, number, dice):
        tombstone = self.client.post("/v1/transfers/reverse", {"reference": number}, expect=200)
        assert tombstone["state"] == "reversed" and "amount" not in tombstone, tombstone
        problem = self.client.post("/v1/transfers", self._body(number, dice), expect=409)
        assert problem["code"] == "already_reversed", problem

    def hold_posted(self, number, dice):
        self._post_hold(self._hold(number, dice, 3600))

    def hold_posted_in_part(self, number, dice):
        hold = self._hold(number, dice, 3600)
        self._post_hold(hold, amount=max(1, hold["amount"] // 3))

    def hold_voided(self, number, dice):
        hold = self._hold(number, dice, 3600)
        voided = self.client.post(f"/v1/holds/{hold['id']}/void", expect=200)
        self.holds[hold["id"]] = voided["state"]
        assert voided["state"] == "voided", voided

    def hold_left_to_expire(self, number, dice):
        self.holds[self._hold(number, dice, 1)["id"]] = "expired"

    def hold_posted_at_the_last_moment(self, number, dice):
        """The response is 409 if the hold has expired before the request."""
        self._post_hold(self._hold(number, dice, 1), expect=(200, 409))

    def wallet_paid(self, number, dice):
        self._pay(number, dice)

    def wallet_refused(self, number, dice):
        order = self._order(number, dice, self.poor, attempts=1)
        assert order["payments"][0]["failure"]["code"] == "insufficient_balance", order
        self.orders[order["id"]] = ("failed", [])

    def wallet_refunded(self, number, dice):
        order, account = self._pay(number, dice)
        payment = order["payments"][0]
        parts = [order["amount"] // 3, order["amount"] - order["amount"] // 3]
        for place, part in enumerate(parts):
            body = {"payment": payment["id"], "merchant_refund_no": f"{number}-{place}", "amount": part}
            refund = self.client.post("/v1/refunds", body)
            assert refund["state"] == "succeeded", refund
            self._moved("wallet_refunded", account, part, "")
        self.orders[order["id"]] = ("succeeded", parts)

    # Helper functions of the scenarios.

    def _two(self, dice):
        debit, credit = dice.sample(self.accounts, 2)
        return debit["id"], credit["id"]

    def _body(self, number, dice):
        debit, credit = self._two(dice)
        return {"debit_account": debit, "credit_account": credit, "amount": dice.randrange(3, 1000), "currency": "CNY",
                "reference": number}

    def _post_transfer(self, number, dice):
        transfer = self.client.post("/v1/transfers", self._body(number, dice))
        assert transfer["state"] in {"posted", "reversed"}, transfer
        self._move("transfer", transfer["debit_account"], transfer["credit_account"], transfer["amount"], number)
        return transfer

    def _hold(self, number, dice, expires_in):
        account, credit = self._two(dice)
        return self.client.post("/v1/holds", {"account": account, "credit_account": credit, "currency": "CNY",
                                              "amount": dice.randrange(3, 1000), "reference": number,
                                              "expires_in": expires_in})

    def _post_hold(self, hold, expect=200, **fields):
        answer = self.client.post(f"/v1/holds/{hold['id']}/post", fields, expect=expect)
        if answer.get("code") == "hold_not_open":
            self.holds[hold["id"]] = "expired"
            return
        assert answer["posted_amount"] == fields.get("amount", hold["amount"]), answer
        self.holds[hold["id"]] = "posted"
        self._move("hold_posted", hold["account"], hold["credit_account"], answer["posted_amount"], hold["reference"])

    def _order(self, number, dice, account, **fields):
        body = {"merchant_order_no": f"wallet-{number}", "amount": dice.randrange(3, 1000), "currency": "CNY",
                "subject": "Tea", "notify_url": self.shop.notify_url,
                "payment": {"channel": "wallet", "account": account["id"]}} | fields
        return self.client.post("/v1/orders", body)

    def _pay(self, number, dice):
        account = dice.choice(self.accounts)
        order = self._order(number, dice, account)
        assert order["state"] == "succeeded", order
        self.orders[order["id"]] = ("succeeded", [])
        self._moved("wallet_paid", account["id"], -order["amount"], order["payments"][0]["out_trade_no"])
        return order, account["id"]

    def _move(self, kind, debit, credit, amount, reference):
        self._moved(kind, debit, -amount, reference)
        self._moved(kind, credit, amount, reference)

    def _moved(self, kind, account, amount, reference):
        with self._lock:
            self._moves[account, kind, amount, reference] += 1

    def _entries(self):
        return [entry for account in self.all_accounts for entry in self.bank.entries(account)]


def key_of(entry):
    """Returns the fields of an entry that the responses contain. The reference of a wallet refund is excluded, because
    no response contains it."""
    reference = entry["reference"] if entry["type"] != "wallet_refunded" else ""
    return entry["account"], entry["type"], entry["amount"], reference


STORIES = [AccountStories.transfer, AccountStories.transfer_refused, AccountStories.transfer_reversed,
           AccountStories.transfer_after_its_reversal, AccountStories.hold_posted, AccountStories.hold_posted_in_part,
           AccountStories.hold_voided, AccountStories.hold_left_to_expire,
           AccountStories.hold_posted_at_the_last_moment, AccountStories.wallet_paid, AccountStories.wallet_refused,
           AccountStories.wallet_refunded]


class AccountClients:
    """The clients of one crash round. Each runs every scenario once, then pauses until a kill is imminent, then
    continues until end()."""

    def __init__(self, stories, name, seed):
        self._near = threading.Event()
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._play, args=(stories.play(f"{name}-{client}",
                                                                                random.Random(f"{seed}-{client}")),))
                         for client in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def kill_is_near(self):
        self._near.set()

    def end(self):
        """Ends the round and waits until the clients have finished."""
        self._near.set()
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _play(self, stories):
        for all_played in stories:
            if all_played:
                self._near.wait()
                if self._over.is_set():
                    return

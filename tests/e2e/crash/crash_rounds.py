"""Crash rounds: clients run payments of every kind, transfers, holds and wallet payments while a component is killed.
An environment defines the components: one server (test_crash.py), two nodes (test_two_nodes.py), or a primary with a
standby (test_standby.py).

The clients follow the retry rules: they repeat a request that got no response with the same Idempotency-Key and body.
"""

import concurrent.futures
import contextlib
import datetime
import json
import random
import threading
import time

import requests

from api import FINAL, order_body
from crash_accounts import AccountClients, AccountStories
from crash_holds import ask_about_hold
from crash_stories import LONGEST, STORIES, HoldStory, Played
from patient_client import PATIENCE_S, PatientClient
from sandbox_client import SandboxClient
from wait import until

CLIENTS = 24
LATER_S_MAX = 0.5  # maximum delay of the kill after the start of the payment that triggers it
DOWN_S_MAX = 0.5


class Kill:
    """A kill: the component, the number of payments after which it happens, and the time during which the component was
    down."""

    def __init__(self, what, after_payments, dice):
        self.what = what
        self.after_payments = after_payments
        self.begin = self.end = None
        self._later_s = dice.uniform(0, LATER_S_MAX)
        self._down_s = dice.uniform(0, DOWN_S_MAX)

    def carry_out(self, place):
        time.sleep(self._later_s)
        self.begin = now()
        with place.without(self.what):
            time.sleep(self._down_s)
        self.end = now()

    def __str__(self):
        return f"killed {self.what} after {self.after_payments} payments, down from {self.begin} to {self.end}"


def now():
    return datetime.datetime.now(datetime.timezone.utc)


class OneServer:
    """Environment of crash rounds with one `finality demo` server and its sandbox."""

    KILLED = ["server", "both", "sandbox"]  # one component per round, in rotation

    def __init__(self, server):
        self.sandbox = SandboxClient(server.demo["sandbox_url"])
        self.other_shops = []
        self._server = server

    def kills(self, number, payments, dice):
        what = self.KILLED[number % len(self.KILLED)]
        return [Kill(what, dice.randrange(payments // 20, payments * 19 // 20), dice)]

    @contextlib.contextmanager
    def without(self, what):
        if what != "sandbox":
            self._server.kill()
        if what != "server":
            self._server.kill_sandbox()
        yield
        if what == "sandbox":
            self._server.start_sandbox()
        else:
            self._server.start()

    def verify(self):
        return self._server.verify()


class Run:
    """All crash rounds in one environment, and their results.

    In an environment (`place`), kills() returns the kills of a round, without() kills a component and restarts it after
    the block, and verify() audits the store. `sandbox` is the client of the sandbox. `other_shops` are further
    merchants with trades in the same sandbox.
    """

    def __init__(self, place, shops, seed, rounds, payments):
        """The first shop makes half of the payments and all account operations."""
        self.place = place
        self.shops = shops
        self.seed = seed
        self.rounds = rounds
        self.payments = payments
        self.accounts = AccountStories(shops[0])
        self.played = []
        self.kills = []
        self._clients = {shop: PatientClient(shop.api) for shop in shops}
        self._dice = random.Random(seed)

    def play(self):
        """Runs the rounds in sequence and audits the store after each. Work that the last kill interrupted may still be
        open at the end."""
        for number in range(self.rounds):
            self._play_round(number)

    @property
    def clients(self):
        """The clients of all shops, which contain the recorded responses."""
        return [*self._clients.values(), self.accounts.client]

    def story_of(self, played):
        lines = [f"{item['at']} {item['kind']:12} {item['object_id']} {item['summary']} {json.dumps(item['detail'])}"
                 for item in played.shop.api.timeline(played.order_id)]
        return "\n".join([f"\n{played}", json.dumps(played.shop.api.order(played.order_id)), *lines])

    def _play_round(self, number):
        begun = threading.Semaphore(0)
        all_played = self._new_stories(number)
        kills = self.place.kills(number, self.payments, self._dice)
        accounts = AccountClients(self.accounts, f"{self.seed}-{number}", self._dice.random())
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
            ended = [clients.submit(self._play_story, played, begun) for played in all_played]
            try:
                self._kill(kills, begun, accounts)
                accounts.end()
                self.played += [one.result() for one in ended]
            except BaseException:
                clients.shutdown(wait=False, cancel_futures=True)
                accounts.end()
                raise
        self.kills += kills
        self.place.verify()

    def _kill(self, kills, begun, accounts):
        payments = 0
        for kill in kills:
            while payments < kill.after_payments:
                begun.acquire()
                payments += 1
            accounts.kill_is_near()
            kill.carry_out(self.place)

    def _new_stories(self, number):
        hot, *others = self.shops
        return [Played(hot if place % 4 < 2 or not others else self._dice.choice(others), story, self.seed, number,
                       place, story.amount or self._dice.randrange(10, 10**6))
                for place, story in enumerate(self._stories(number))]

    def _stories(self, number):
        stories = [story for story in STORIES if story.name != LONGEST or number < max(1, self.rounds - 2)]
        chosen = [stories[place % len(stories)] for place in range(self.payments)]
        self._dice.shuffle(chosen)
        return chosen

    def _play_story(self, played, begun):
        begun.release()
        try:
            self._ask_all(played)
        except AssertionError as error:
            played.stuck = f"{played}: {error}"
        return played

    def _ask_all(self, played):
        story, client = played.story, self._clients[played.shop]
        body = order_body(merchant_order_no=played.merchant_order_no, amount=played.amount,
                          notify_url=played.shop.notify_url,
                          payment={"channel": played.channels[0], "scenario": story.scenario}, **story.body)
        order = client.post("/v1/orders", body)
        played.order_id = order["id"]
        if isinstance(story, HoldStory):
            ask_about_hold(client, played, order["authorizations"][0]["id"])
        else:
            self._ask_about_payment(client, played, order["payments"][0]["id"])

    def _ask_about_payment(self, client, played, payment):
        story = played.story
        if story.presses:
            self._press_pay(played.shop, payment_when(client, payment, "pending"))
        if story.second:
            payment_when(client, payment, story.second_when)
            client.post(f"/v1/orders/{played.order_id}/payments",
                        {"channel": played.channels[1], "scenario": story.second,
                         "merchant_payment_no": f"{played.merchant_order_no}-2"})
        if story.closes:
            payment_when(client, payment, "pending")
            client.post(f"/v1/orders/{played.order_id}/close", expect=200)
        if story.refunds:
            payment_when(client, payment, "succeeded")
            self._refund(client, played, payment)

    @staticmethod
    def _press_pay(shop, payment):
        def pressed():
            try:
                response = shop.sandbox.press(payment, "pay")
            except requests.RequestException:
                return False
            if response.status_code >= 500:
                return False  # the sandbox stops together with the demo that started it
            # An earlier press may have succeeded although its response was lost.
            return response.status_code == 200 or response.json()["trade"]["state"] == "paid"

        until(pressed, f"{payment['id']} is paid on the payer's page", PATIENCE_S)

    @staticmethod
    def _refund(client, played, payment_id):
        for place, (part, _) in enumerate(played.story.refunds):
            body = {"payment": payment_id, "merchant_refund_no": f"{played.merchant_order_no}-{place}",
                    "amount": int(played.amount * part)}
            played.refund_ids.append(client.post("/v1/refunds", body)["id"])


def payment_when(client, payment_id, state):
    """Waits until the payment has this state and returns it. A pending payment must also have an action with the URL
    for the payer."""
    def reached(payment):
        assert payment["state"] == state or payment["state"] not in FINAL, payment
        return payment["state"] == state and (state != "pending" or payment["action"]["type"] == "redirect")

    return client.get_when(f"/v1/payments/{payment_id}", reached, f"is {state}, for the payer too")

"""Rounds of payments of every kind, with transfers, holds and wallet payments beside them, each with a `kill -9` in its
midst: of the server, of the sandbox, of both.

The merchant's programs do as they should: what is not answered is sent again, same key and body.
"""

import concurrent.futures
import datetime
import json
import random
import threading
import time

import requests

from api import FINAL, order_body
from crash_accounts import AccountClients, AccountStories
from crash_stories import LONGEST, STORIES, Told
from patient_client import PATIENCE_S, PatientClient
from wait import until

CLIENTS = 24
KILLED = ["server", "both", "sandbox"]  # one after another, over the rounds
LATER_S_MAX = 0.5  # the kill may come this long after its payment has begun
DOWN_S_MAX = 0.5


class Kill:
    """What is killed, at which moment of the round, and from when until when it was gone."""

    def __init__(self, what, payments, dice):
        self.what = what
        self.after_payments = dice.randrange(payments // 20, payments * 19 // 20)
        self.begin = self.end = None
        self._later_s = dice.uniform(0, LATER_S_MAX)
        self._down_s = dice.uniform(0, DOWN_S_MAX)

    def carry_out(self, server):
        time.sleep(self._later_s)
        self.begin = now()
        if self.what != "sandbox":
            server.kill()
        if self.what != "server":
            server.kill_sandbox()
        time.sleep(self._down_s)
        if self.what == "sandbox":
            server.start_sandbox()
        else:
            server.start()
        self.end = now()

    def __str__(self):
        return f"killed {self.what} after {self.after_payments} payments, gone {self.begin} to {self.end}"


def now():
    return datetime.datetime.now(datetime.timezone.utc)


class Run:
    """All rounds on one server, and what came of them."""

    def __init__(self, server, shop, seed, rounds, payments):
        self.server = server
        self.shop = shop
        self.seed = seed
        self.rounds = rounds
        self.payments = payments
        self.client = PatientClient(shop.api)
        self.accounts = AccountStories(shop)
        self.told = []
        self.kills = []
        self._dice = random.Random(seed)

    def play(self):
        """The rounds, one after another, each ended by an audit; what the last kill cut off is under way afterwards."""
        for number in range(self.rounds):
            self._play_round(number)

    def story_of(self, told):
        lines = [f"{item['at']} {item['kind']:12} {item['object_id']} {item['summary']} {json.dumps(item['detail'])}"
                 for item in self.shop.api.timeline(told.order_id)]
        return "\n".join([f"\n{told}", json.dumps(self.shop.api.order(told.order_id)), *lines])

    def _play_round(self, number):
        stories = self._stories(number)
        amounts = [self._dice.randrange(10, 10**6) for _ in stories]
        kill = Kill(KILLED[number % len(KILLED)], self.payments, self._dice)
        begun = threading.Semaphore(0)
        accounts = AccountClients(self.accounts, f"{self.seed}-{number}", self._dice.random())
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
            told = [clients.submit(self._tell, Told(story, self.seed, number, place, amount), begun)
                    for place, (story, amount) in enumerate(zip(stories, amounts))]
            try:
                for _ in range(kill.after_payments):
                    begun.acquire()
                accounts.kill_is_near()
                kill.carry_out(self.server)
                accounts.end()
                self.told += [one.result() for one in told]
            except BaseException:
                clients.shutdown(wait=False, cancel_futures=True)
                accounts.end()
                raise
        self.kills.append(kill)
        self.server.verify()

    def _stories(self, number):
        stories = [story for story in STORIES if story.name != LONGEST or number < max(1, self.rounds - 2)]
        chosen = [stories[place % len(stories)] for place in range(self.payments)]
        self._dice.shuffle(chosen)
        return chosen

    def _tell(self, told, begun):
        begun.release()
        try:
            self._ask_all(told)
        except AssertionError as error:
            told.stuck = f"{told}: {error}"
        return told

    def _ask_all(self, told):
        story = told.story
        body = order_body(merchant_order_no=told.merchant_order_no, amount=told.amount, notify_url=self.shop.notify_url,
                          payment={"channel": told.channels[0], "scenario": story.scenario}, **story.fields)
        order = self.client.post("/v1/orders", body)
        told.order_id = order["id"]
        payment = order["payments"][0]["id"]
        if story.presses:
            self._press_pay(self._payment_when(payment, "pending"))
        if story.second:
            self._payment_when(payment, story.second_when)
            self.client.post(f"/v1/orders/{told.order_id}/payments",
                             {"channel": told.channels[1], "scenario": story.second,
                              "merchant_payment_no": f"{told.merchant_order_no}-2"})
        if story.closes:
            self._payment_when(payment, "pending")
            self.client.post(f"/v1/orders/{told.order_id}/close", expect=200)
        if story.refunds:
            self._payment_when(payment, "succeeded")
            self._refund(told, payment)

    def _payment_when(self, payment_id, state):
        """A pending payment is one that the payer can pay: its action says where."""
        def reached(payment):
            assert payment["state"] == state or payment["state"] not in FINAL, payment
            return payment["state"] == state and (state != "pending" or payment["action"]["type"] == "redirect")

        return self.client.get_when(f"/v1/payments/{payment_id}", reached, f"is {state}, for the payer too")

    def _press_pay(self, payment):
        def pressed():
            try:
                response = self.shop.sandbox.press(payment, "pay")
            except requests.RequestException:
                return False
            # The answer to an earlier press may have been lost.
            return response.status_code == 200 or response.json()["trade"]["state"] == "paid"

        until(pressed, f"{payment['id']} is paid by hand", PATIENCE_S)

    def _refund(self, told, payment_id):
        for place, (part, _) in enumerate(told.story.refunds):
            body = {"payment": payment_id, "merchant_refund_no": f"{told.merchant_order_no}-{place}",
                    "amount": int(told.amount * part)}
            told.refund_ids.append(self.client.post("/v1/refunds", body)["id"])

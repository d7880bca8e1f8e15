"""Runs scenarios concurrently, each with a real order, and records the results. Contains the scenarios of
docs/guide/what-happens-when.md; authorization_timelines.py contains those about authorizations."""

import concurrent.futures
import dataclasses
import re
import time

from api import Api
from authorizations import held_of
from finality_server import ROOT
from shop import ENDED, Shop, captures_of
from wait import until

PAGE = ROOT / "docs/guide/what-happens-when.md"
FAST = 100         # time scale of the server
AT_MOST_S = 15.0   # time limit of a scenario run, excluding its `delays_s`
AMOUNT = 1999


@dataclasses.dataclass(frozen=True)
class Story:
    """A section of the page: the requests of the scenario, and the texts that the page shows with the recorded
    timeline."""

    scenario: str
    about: str                    # text for the merchant: meaning and required action
    title: str = ""               # empty: the scenario's name
    what: str = ""                # events at the channel; empty: the scenario's description in the sandbox
    channel: str = "sandbox"
    fields: dict = dataclasses.field(default_factory=dict)
    acts: tuple = ()              # steps of merchant and payer after the order was created, in sequence
    last: str = ""                # last event, if it is later than the final state
    ends: bool = True             # the order becomes final; false: the story is over with `last`
    delays_s: float = 0.5         # the scenario's own delays, and deadlines that no time scale shortens
    asked: bool = False           # only a query returns the result; no notification is sent
    repeats: bool = False         # the page shows repeated reports

    @property
    def name(self):
        return self.title or self.scenario


@dataclasses.dataclass(frozen=True)
class Played:
    """Result of a scenario run: the order and related objects, read after the order, its payments and its deliveries
    are final."""

    story: Story
    order: dict
    payments: list    # with their receipts
    authorizations: list  # with their captures
    refunds: list     # refunds and reversals, oldest first
    cases: list
    trades: list      # from the sandbox's ledger, oldest first
    held: list        # (amount, currency) of what the sandbox still holds
    timeline: list
    remarks: list     # sentences about API responses that are not in the timeline
    seconds: float


# Steps of the merchant or the payer after the order was created. The page shows the docstring as the step's text.
# A function may return a remark: a sentence for the page about an API response.

def waiting_payment(shop, order, number=0):
    return shop.api.payment_when(shop.api.order(order["id"])["payments"][number]["id"], "pending")


def close(shop, order):
    """then close the order: `post orders/$ORDER/close '{}'`"""
    waiting_payment(shop, order)
    shop.api.close(order["id"])


def close_unanswered(shop, order):
    """then close the order: `post orders/$ORDER/close '{}'`"""
    shop.api.close(order["id"])


def press_pay(shop, order):
    """then open the payment's `action.url` and press Pay"""
    shop.sandbox.pay(waiting_payment(shop, order))


def pay_over_sandbox2(shop, order):
    """then start a second payment: `post orders/$ORDER/payments '{"channel":"sandbox2","scenario":"pays"}'`"""
    waiting_payment(shop, order)
    shop.api.create_payment(order["id"], channel="sandbox2", scenario="pays")


def wait_for_the_payer(shop, order):
    """then wait until the payer has paid at the channel"""
    [payment] = shop.api.order_when_final(order["id"])["payments"]
    until(lambda: shop.sandbox.trade_of(payment)["state"] == "paid", "the payer has paid")


def wait_for_the_console(shop, order):
    """then wait until half the amount is refunded at the channel"""
    [payment] = shop.api.order_when_final(order["id"])["payments"]
    until(lambda: shop.sandbox.trade_of(payment)["refunded"] > 0, "the channel has refunded")


def give_back(shop, order):
    """then refund a part: `post refunds '{"payment":"'$PAYMENT'","amount":1000,"merchant_refund_no":"r-'$PAYMENT'"}'`"""
    [payment] = shop.api.order_when_final(order["id"])["payments"]
    refund = shop.api.create_refund(payment["id"], amount=1000, merchant_refund_no=f"r-{payment['id']}")
    shop.api.refund_when_final(refund["id"])


def give_back_less(shop, order):
    """then refund less: `post refunds '{"payment":"'$PAYMENT'","amount":900,"merchant_refund_no":"r-'$PAYMENT'"}'`"""
    [payment] = shop.api.order_when_final(order["id"])["payments"]
    refund = shop.api.create_refund(payment["id"], amount=900, merchant_refund_no=f"r-{payment['id']}")
    shop.api.refund_when_final(refund["id"])


def give_back_too_much(shop, order):
    """then the same again, with another `merchant_refund_no`"""
    [payment] = order["payments"]
    refused = shop.api.create_refund(payment["id"], amount=1000, expect=409)
    return f"The API rejects the second refund with 409 `{refused['code']}`: “{refused['detail']}”"


ONE_ATTEMPT, LOCAL = {"attempts": 1}, {"close_policy": "local"}
REVERSED, CASE = "reversal.refunded", "case.created"

STORIES = [
    Story("pays", "The normal case. Ship when `order.succeeded` arrives, or when the order's state is `succeeded`."),
    Story("manual", "As `pays`, but a person decides. The order stays open until it expires.", acts=(press_pay,)),
    Story("declines", "A failed payment is final. The order accepts another payment until its `attempts` are used up, "
          "as they are here. Offer another way to pay.", fields=ONE_ATTEMPT),
    Story("never_pays", "The order closes on request, or automatically at `expires_at`, in the same way. No action is "
          "needed.", acts=(close,)),
    Story("slow", "The API replies after 2 s with an order in state `processing`: the result is not known yet. Wait "
          "for the webhook, or read the order again. No other payment can start until the channel has answered.",
          delays_s=3.5),
    Story("pays_on_close", "The channel decides: it reports the trade as paid, so the order succeeds. Do not cancel "
          "on your side before the order is final.", acts=(close,)),
    Story("pays_on_close", "With `close_policy: local` the order closes immediately, whatever the channel reports. "
          "A late payment is refunded automatically. No action is needed.", title="pays_on_close, closed locally",
          fields=LOCAL, acts=(close,), last=REVERSED),
    Story("pays_after_close", "A closed order stays closed. Finality refunds the money by the original route and "
          "retries until the reversal succeeds. No action is needed; the webhook `payment.reversed` reports the end.",
          acts=(close,), last=REVERSED),
    Story("pays_twice", "The first trade is the payment. Finality reverses the second one by its own trade number, so "
          "the first is never affected. No action is needed.", last=REVERSED),
    Story("pays_on_close", "The first payment that a channel reports wins, and Finality closes the other trade. If the "
          "payer paid that one too, its money is refunded automatically. No action is needed.",
          title="Two payments, both paid",
          what="The payer pays over one channel, and at the same moment over another.",
          acts=(pay_over_sandbox2,), last=REVERSED),
    Story("notification_lost", "Finality queries an open payment, after 2 s at first and then at growing intervals. "
          "No action is needed.", asked=True),
    Story("notification_before_reply", "A final state stays final. Finality stores the late response as evidence, and "
          "the response changes nothing.", last="payment.already_known", delays_s=1.0),
    Story("notification_doubled", "A repeated notification changes nothing. The merchant receives one webhook.",
          last="payment.already_known", repeats=True),
    Story("notification_reordered", "An older report cannot undo a newer one. No action is needed.",
          last="payment.waiting stays"),
    Story("notification_forged", "Finality rejects a notification that fails verification, and counts it "
          "(`finality_notifications_refused_total`). The timeline does not show it. No action is needed; if the count "
          "grows, find out who sends them.", delays_s=1.5),
    Story("wrong_amount", "The payment is under review: the money stays in suspense, and a case stays in the exception "
          "queue, until two operators accept the amount or refund it "
          "([exception queue](exception-queue.md#accept-an-underpaid-or-overpaid-order)). Do not ship before the order "
          "succeeds.",
          fields=ONE_ATTEMPT, last=CASE, ends=False),
    Story("wrong_currency", "As with a wrong amount, the money is in suspense and a case opens. Operators can only refund it.",
          fields=ONE_ATTEMPT, last=CASE, ends=False),
    Story("refunded_by_channel", "The channel refunded the payment without a request. Finality books this as a refund "
          "with `origin: channel`; the order stays `succeeded`. In the case, operators accept the refund or charge it "
          "to the platform.", last=CASE),
    Story("console_refund_full", "An employee refunded the full amount in the channel's console. Finality books it "
          "like a refund that was requested here, and nothing remains to refund.", last=CASE),
    Story("console_refund_partial", "As before, but with a part of the amount. The rest can still be refunded here.",
          last=CASE),
    Story("console_refund_before_payment_known", "No notification reports the payment: a query reports it, or "
          "the notification about the refund does. Finality books the payment first and then the refund. The order "
          "succeeds, and `refunded_amount` shows the refunded part.",
          last=CASE),
    Story("success_then_failure", "The order stays `succeeded`, and the ledger does not change. The contradiction "
          "opens a case for two operators. The merchant has nothing to do.", last=CASE),
    Story("failure_then_success", "The order stays `failed`, because the payer may have paid in another way by now. "
          "The money is refunded automatically, and a case reports that the channel changed its result.",
          fields=ONE_ATTEMPT, last=REVERSED),
    Story("request_lost", "A missing response is not a failure. Finality accepts “trade not found” only when the "
          "request can no longer arrive (8 s). It then sends the request again under the same number, so the payer "
          "cannot pay twice. No action is needed.", delays_s=8.5),
    Story("request_timeout_but_paid", "While the result is unknown, the payment stays `processing`, and Finality "
          "queries it until the channel answers. Do not create another order instead."),
    Story("channel_down", "The same during a longer outage. Finality keeps querying, at intervals of up to one minute, "
          "and never gives up. `finality_channel_calls_unanswered_total` shows the outage.", delays_s=20.5),
    Story("refused_unlisted", "An undocumented refusal proves nothing, so Finality queries the payment and sends it "
          "again under the same number. The timeline shows the channel's code. Close the order, or let it expire.",
          acts=(close_unanswered,), delays_s=8.5),
    Story("pays", "Refunds never exceed the paid amount; refunds in progress count too. A rejected request changes "
          "nothing.", title="A refund larger than the remaining amount", acts=(give_back, give_back_too_much),
          what="The payer pays; the merchant refunds a part, and then requests more than the remaining amount."),
    Story("refund_fails_twice", "The refund stays `pending`, and Finality sends it again after a pause, each time under "
          "a new number at the channel, because the channel has closed the refused number. No action is needed.",
          acts=(give_back,)),
    Story("refund_not_now", "The channel account lacks money. The refund stays `pending`, and Finality sends it again "
          "under the same number after a pause. Pay money into the channel account.", acts=(give_back,)),
    Story("refund_refused", "The refund is `failed`, and its amount is available again. Refund the payer in another "
          "way; the order still counts as paid.", acts=(give_back,)),
    Story("refund_unknown", "As with payments, an unknown result is not a failure. Finality queries the refund and "
          "never sends it under a second number. No action is needed.", acts=(give_back,)),
    Story("refund_stranded", "WeChat Pay calls this state `ABNORMAL`: the money has left your account, and the payer's "
          "card no longer exists. The refund is not refused, and a second request could pay twice. Handle it on WeChat "
          "Pay's merchant platform. The case is resolved automatically when the money arrives.", channel="wechatpay",
          acts=(give_back,), delays_s=3.0),
    Story("abandoned_refund_pays", "The channel refused a number, and paid under it later. Finality books both "
          "payouts; the second one is a refund with `origin: channel` and a case. Ask the payer for the difference, or "
          "charge it to the platform.", acts=(give_back_less,), last=CASE),
    Story("refund_returned", "The refund stays `succeeded`, and the merchant has the money again (`refund.returned`). "
          "The payer does not have it: refund again, or pay the payer in another way.", acts=(give_back,),
          last="refund.refund_returned stays"),
    Story("settled_in_other_currency", "The order succeeds as usual, in the currency of the order. An hour later, "
          "divided by the time scale, the channel reports in which currency and with which amount it settles the "
          "payment. No action is needed."),
    Story("late_payment_unnotified", "The order stays `failed`, because nothing reports the payment until the statement "
          "of the day does: then the payment is booked, and the money is refunded automatically.",
          fields=ONE_ATTEMPT, acts=(wait_for_the_payer,)),
    Story("drop_line", "The order succeeds as usual. The statement of the day does not list the payment, so operators "
          "look at it if the next three statements do not list it either."),
    Story("double_line", "The order succeeds as usual. The second line in the statement of the day is a difference "
          "with a case."),
    Story("other_amount", "The order succeeds as usual. The amount in the statement of the day is a difference with a "
          "case."),
    Story("other_discount", "The order succeeds as usual. The discount in the statement of the day is a difference "
          "with a case: the channel settles less than the order's amount."),
    Story("other_fee", "The order succeeds as usual. If the channel account has a rate, the fee in the statement of the "
          "day is a difference with a case."),
    Story("other_currency", "The order succeeds as usual. The currency in the statement of the day is a difference "
          "with a case."),
    Story("other_status", "The order succeeds as usual. If it is refunded, the statement of the day lists the refund as "
          "failed, which is a difference with a case."),
    Story("shift_day", "The order succeeds as usual. The payment is in the statement of the next day, where it is "
          "found. No action is needed."),
    Story("mixed_numbers", "The order succeeds as usual. The further line in the statement of the day is a difference "
          "with a case, and books nothing."),
    Story("drop_funds_line", "The order succeeds as usual. The statement of funds does not list the payment, so "
          "operators look at it if the next three statements do not list it either."),
    Story("double_funds_line", "The order succeeds as usual. The second line in the statement of funds is a difference "
          "with a case."),
    Story("other_funds_fee", "The order succeeds as usual. Finality posts the fee as the statement of funds states it."),
    Story("console_refund", "The order stays `succeeded`. Nothing reports the refund until the statement of the day "
          "does: then it is booked as an external refund.", acts=(wait_for_the_console,)),
    Story("foreign_payment", "The order succeeds as usual. The other payment belongs to no order: the statement of the "
          "day reports it, and operators assign or return the money."),
    Story("late_refund_failure", "The order succeeds as usual. If it is refunded, the refund comes back at noon of the "
          "next day. The statement of funds lists the returned money."),
]


def scenarios():
    """Returns {scenario name: description}, parsed from sandbox/core/scenario.cpp."""
    source = (ROOT / "sandbox/core/scenario.cpp").read_text(encoding="utf-8")
    found = re.findall(r'\.name = "(\w+)",\s*\.description = "((?:[^"\\]|\\.)*)"', source)
    return {name: story.replace('\\"', '"') for name, story in found}


def play(shop, operators, story):
    began = time.monotonic()
    order = shop.order_paid_by(story.channel, story.scenario, amount=AMOUNT, **story.fields)
    remarks = [remark for act in story.acts if (remark := act(shop, order))]
    timeout = story.delays_s + 2 * AT_MOST_S  # exceeds the limit, so that a late end is measured
    until(lambda: is_over(shop, story, order), f"{story.name} is over", timeout)
    return collect(shop, operators, story, order["id"], remarks, time.monotonic() - began)


def is_over(shop, story, order):
    timeline = shop.api.timeline(order["id"])
    last = not story.last or any(is_event(item, story.last) for item in timeline)
    told = [item["detail"]["state"] for item in timeline if item["kind"] == "delivery" and "url" in item["detail"]]
    now = shop.api.order(order["id"])
    return last and set(told) == {"delivered"} and (not story.ends or is_final(shop, now))


def is_final(shop, order):
    """Returns whether the order and everything about it is final, and no channel holds an amount for it."""
    rows = [order, *order["payments"], *authorizations_of(order), *captures_of(order)]
    return all(row["state"] in ENDED for row in rows) and not still_held(shop, order)


def still_held(shop, order):
    """Returns (amount, currency) of each hold of the order that the sandbox still has."""
    holds = [hold for each in authorizations_of(order) for hold in shop.sandbox.holds_of(each)]
    return [(held_of(hold), hold["currency"]) for hold in holds if held_of(hold) > 0]


def authorizations_of(order):
    return order.get("authorizations", [])


def is_event(item, wanted):
    """Returns whether the timeline item is an event of type `wanted`. With the suffix " stays", only an event that did
    not change the state matches."""
    kind, _, stays = wanted.partition(" ")
    detail = item["detail"]
    return detail.get("type") == kind and "cause" in detail and (not stays or detail["cell"] == "keep")


def collect(shop, operators, story, order_id, remarks, seconds):
    order, timeline = shop.api.order(order_id), shop.api.timeline(order_id)
    opened = dict.fromkeys(item["object_id"] for item in timeline if item["kind"] == "case")
    payments = [shop.api.payment(payment["id"]) for payment in order["payments"]]
    return Played(story, order, payments, authorizations_of(order),
                  refunds=shop.api.all("/v1/refunds", order=order_id)[::-1],
                  cases=[operators.get(f"/v1/cases/{case}") for case in opened],
                  trades=trades_of(shop, order), held=still_held(shop, order), timeline=timeline, remarks=remarks,
                  seconds=seconds)


def trades_of(shop, order):
    """Returns the trades of the order's payments and captures in the sandbox's ledger, oldest first."""
    paid = [trade for payment in order["payments"] for trade in shop.sandbox.trades_of(payment)]
    holds = {hold["auth_no"] for each in authorizations_of(order) for hold in shop.sandbox.holds_of(each)}
    return paid + [trade for trade in shop.sandbox.all_trades() if trade.get("auth_no") in holds]


def play_all(contract, server, merchant_server, stories):
    """Runs all scenarios of a page concurrently. Returns the results in the order of its sections."""
    shop = Shop.of_demo(contract, server, merchant_server)
    operators = Api(contract, server.demo["base_url"], server.demo["operators"]["operator"], shop.id)
    with concurrent.futures.ThreadPoolExecutor(len(stories)) as clients:
        return list(clients.map(lambda story: play(shop, operators, story), stories))

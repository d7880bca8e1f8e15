"""The stories of docs/guide/what-happens-when.md. Each is executed with a real order, all of them concurrently."""

import concurrent.futures
import dataclasses
import re
import time

from api import FINAL, Api
from finality_server import ROOT
from shop import Shop
from wait import until

PAGE = ROOT / "docs/guide/what-happens-when.md"
FAST = 100         # time scale
AT_MOST_S = 15.0   # maximum duration of a story at that scale, without the story's own delays and deadlines
AMOUNT = 1999


@dataclasses.dataclass(frozen=True)
class Story:
    """Requests to the server, and the page's text besides the recorded timeline."""

    scenario: str
    about: str                    # for the merchant: the meaning, and the action to take
    title: str = ""               # by default the scenario's name
    what: str = ""                # events at the channel, if the scenario does not describe them
    channel: str = "sandbox"
    fields: dict = dataclasses.field(default_factory=dict)
    acts: tuple = ()              # actions after the order was created
    last: str = ""                # the last event, if the order is final before it
    delays_s: float = 0.5         # delays of the scenario, and deadlines that the time scale does not shorten
    asked: bool = False           # the channel sends no notification: only a query returns the result
    repeats: bool = False         # the repeated message is part of the story

    @property
    def name(self):
        return self.title or self.scenario


@dataclasses.dataclass(frozen=True)
class Played:
    """A story and the final state of the real order that it was executed with."""

    story: Story
    order: dict
    payments: list    # with their receipts
    refunds: list     # and reversals, oldest first
    cases: list
    trades: list      # from the sandbox's ledger, oldest first
    timeline: list
    remarks: list     # responses of the API that no timeline shows
    seconds: float


# Actions of a merchant or a payer after the order was created. Each may return a remark. The docstrings are printed.

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


def give_back(shop, order):
    """then give a part back: `post refunds '{"payment":"'$PAYMENT'","amount":1000,"merchant_refund_no":"r-'$PAYMENT'"}'`"""
    [payment] = shop.api.order_when_final(order["id"])["payments"]
    refund = shop.api.create_refund(payment["id"], amount=1000, merchant_refund_no=f"r-{payment['id']}")
    shop.api.refund_when_final(refund["id"])


def give_back_less(shop, order):
    """then give less than half back: `post refunds '{"payment":"'$PAYMENT'","amount":900,"merchant_refund_no":"r-'$PAYMENT'"}'`"""
    [payment] = shop.api.order_when_final(order["id"])["payments"]
    refund = shop.api.create_refund(payment["id"], amount=900, merchant_refund_no=f"r-{payment['id']}")
    shop.api.refund_when_final(refund["id"])


def give_back_too_much(shop, order):
    """then as much again, with another `merchant_refund_no`"""
    [payment] = order["payments"]
    refused = shop.api.create_refund(payment["id"], amount=1000, expect=409)
    return f"The second refund is answered with 409 `{refused['code']}`: “{refused['detail']}”"


ONE_ATTEMPT, LOCAL = {"attempts": 1}, {"close_policy": "local"}
REVERSED, CASE = "reversal.refunded", "case.created"

STORIES = [
    Story("pays", "How it should be. Ship when `order.succeeded` arrives, or when you read `succeeded`."),
    Story("manual", "As `pays`, at a person's pace. The order waits until it expires.", acts=(press_pay,)),
    Story("declines", "A payment that failed never comes back, but the order takes another one, unless its `attempts` "
          "are used up, as here. Offer another way to pay.", fields=ONE_ATTEMPT),
    Story("never_pays", "The order closes when you ask for it, or by itself at `expires_at`, in the same way. Nothing "
          "to do.", acts=(close,)),
    Story("slow", "Your request is answered after 2 s with an order that is `processing`: nobody knows yet. Wait for "
          "the webhook, or ask again. Until the channel has answered, no other payment can be started.", delays_s=3.5),
    Story("pays_on_close", "The channel has the last word: it says that the trade is paid, so the order succeeded. "
          "Do not cancel on your side before the order is final.", acts=(close,)),
    Story("pays_on_close", "With `close_policy: local` the order is closed at once, whatever the channel says. What is "
          "paid all the same goes back by itself. Nothing to do.", title="pays_on_close, closed locally", fields=LOCAL,
          acts=(close,), last=REVERSED),
    Story("pays_after_close", "A closed order stays closed. The money goes back by the original route, by itself, and "
          "is tried again until it is there. Nothing to do; `payment.reversed` tells you.", acts=(close,),
          last=REVERSED),
    Story("pays_twice", "The first trade is the payment; the second one goes back by its own number, so the first is "
          "never touched. Nothing to do.", last=REVERSED),
    Story("pays_on_close", "The first payment to be heard of wins, and the other trade is closed. Was that one paid "
          "too, its money goes back by itself. Nothing to do.", title="Two payments, both paid",
          what="The payer pays over one channel, and in the same instant over another.",
          acts=(pay_over_sandbox2,), last=REVERSED),
    Story("notification_lost", "An open payment is asked about, after 2 s at first and then more and more rarely. "
          "Nothing to do.", asked=True),
    Story("notification_before_reply", "What is final stays final: the answer that comes too late is kept as "
          "evidence, and changes nothing.", last="payment.already_known", delays_s=1.0),
    Story("notification_doubled", "What is known already changes nothing, however often it is told. You are told once.",
          last="payment.already_known", repeats=True),
    Story("notification_reordered", "An older word cannot undo a newer one. Nothing to do.",
          last="payment.waiting stays"),
    Story("notification_forged", "A notification that does not prove to be the channel's is refused and counted "
          "(`finality_notifications_refused_total`); the timeline does not know of it. Nothing to do; look at who "
          "sends them when the number grows.", delays_s=1.5),
    Story("wrong_amount", "Never a success. The money waits in suspense, and a case waits in the exception queue until two "
          "operators have sent it back ([operations](operations.md#what-to-look-at)). Do not ship.",
          fields=ONE_ATTEMPT),
    Story("wrong_currency", "As with a wrong amount: suspense, and a case. Do not ship.", fields=ONE_ATTEMPT),
    Story("refunded_by_channel", "The channel has refunded what nobody asked it to. It is booked as a refund with "
          "`origin: channel`; the order stays `succeeded`. The case tells a person, who accepts it or has the platform "
          "bear it.", last=CASE),
    Story("console_refund_full", "Somebody has refunded all of it in the channel's own console. It is booked as if it "
          "had been asked for here, and nothing is left to refund.", last=CASE),
    Story("console_refund_partial", "As before, with a part: the rest can still be refunded here.", last=CASE),
    Story("console_refund_before_payment_known", "The first word of the trade is that a part of it was refunded. The "
          "payment is booked first, then the refund: the order succeeds, and `refunded_amount` says how much of it "
          "went back.", last=CASE),
    Story("success_then_failure", "The order stays `succeeded`, and the books stay as they are. The contradiction is a "
          "case for two operators; the merchant has nothing to do.", last=CASE),
    Story("failure_then_success", "The order has failed and stays so: the payer may have paid you otherwise by now. "
          "The money goes back by itself, and a case tells operators that this channel takes back its word.",
          fields=ONE_ATTEMPT, last=REVERSED),
    Story("request_lost", "Silence is not a failure. “No such trade” is believed only once the request can no longer "
          "arrive (8 s); then it is sent again under the same number, so it cannot be paid twice. Nothing to do.",
          delays_s=8.5),
    Story("request_timeout_but_paid", "Not knowing is a state: the payment stays `processing`, and is asked about "
          "until somebody knows. Do not start another order instead."),
    Story("channel_down", "The same, for longer: it is asked again, every minute at most, and nothing is given up. "
          "`finality_channel_calls_unanswered_total` shows it.", delays_s=20.5),
    Story("refused_unlisted", "A refusal that nobody knows proves nothing, so the payment is asked about and sent again "
          "under the same number. The timeline shows the channel's code. Close the order, or let it expire.",
          acts=(close_unanswered,), delays_s=8.5),
    Story("pays", "Never more goes back than was paid: refunds under way count too. What is refused changes nothing.",
          title="A refund larger than what is left", acts=(give_back, give_back_too_much),
          what="The payer pays; the merchant gives a part back, and then wants to give back more than is left."),
    Story("refund_fails_twice", "The same refund is tried again, each time under a new number at the channel, since a "
          "refused number is dead. Nothing to do.", acts=(give_back,)),
    Story("refund_not_now", "The channel account lacks the money. The refund stays `pending` and is sent again under the "
          "same number after a pause. Pay money in at the channel.", acts=(give_back,)),
    Story("refund_refused", "The refund has failed and its money is free again. Give it back in another way, and "
          "remember that the order still is paid.", acts=(give_back,)),
    Story("refund_unknown", "As with payments: unknown is not failed. The refund is asked about, never sent twice "
          "under two numbers. Nothing to do.", acts=(give_back,)),
    Story("refund_stranded", "WeChat Pay calls it `ABNORMAL`: the money has left you, and the payer's card is gone. It is "
          "neither refused nor to be sent again, which could pay twice. Handle it on WeChat Pay's merchant platform; the "
          "case settles itself once the money has arrived.", channel="wechatpay", acts=(give_back,), delays_s=3.0),
    Story("abandoned_refund_pays", "A refused number was believed dead, and is paid after all. Both payouts are booked; "
          "the second one is a refund with `origin: channel` and a case. Ask the payer for the difference, or have the "
          "platform bear it.", acts=(give_back_less,), last=CASE),
    Story("refund_returned", "The refund stays `succeeded`, and the merchant has the money again: "
          "`refund.returned`. The payer has nothing: refund it again, or in another way.", acts=(give_back,),
          last="refund.refund_returned stays"),
]


def scenarios():
    """Returns the sandbox's descriptions of its scenarios, by name."""
    source = (ROOT / "sandbox/core/scenario.cpp").read_text(encoding="utf-8")
    found = re.findall(r'\.name = "(\w+)",\s*\.story = "((?:[^"\\]|\\.)*)"', source)
    return {name: story.replace('\\"', '"') for name, story in found}


def play(shop, operators, story):
    began = time.monotonic()
    order = shop.order_paid_by(story.channel, story.scenario, amount=AMOUNT, **story.fields)
    remarks = [remark for act in story.acts if (remark := act(shop, order))]
    timeout = story.delays_s + 2 * AT_MOST_S  # so that a late end differs from no end
    until(lambda: is_over(shop, story, order), f"{story.name} is over", timeout)
    return collect(shop, operators, story, order["id"], remarks, time.monotonic() - began)


def is_over(shop, story, order):
    timeline = shop.api.timeline(order["id"])
    last = not story.last or any(is_event(item, story.last) for item in timeline)
    told = [item["detail"]["state"] for item in timeline if item["kind"] == "delivery" and "url" in item["detail"]]
    now = shop.api.order(order["id"])
    return (last and now["state"] in FINAL and all(payment["state"] in FINAL for payment in now["payments"])
            and set(told) == {"delivered"})


def is_event(item, wanted):
    """`wanted` is an event's type; the suffix "stays" selects an event without a transition."""
    kind, _, stays = wanted.partition(" ")
    detail = item["detail"]
    return detail.get("type") == kind and (not stays or detail["cell"] == "keep") and "cause" in detail


def collect(shop, operators, story, order_id, remarks, seconds):
    order, timeline = shop.api.order(order_id), shop.api.timeline(order_id)
    opened = dict.fromkeys(item["object_id"] for item in timeline if item["kind"] == "case")
    payments = [shop.api.payment(payment["id"]) for payment in order["payments"]]
    return Played(story, order, payments, refunds=shop.api.all("/v1/refunds", order=order_id)[::-1],
                  cases=[operators.get(f"/v1/cases/{case}") for case in opened],
                  trades=[trade for payment in payments for trade in shop.sandbox.trades_of(payment)],
                  timeline=timeline, remarks=remarks, seconds=seconds)


def play_all(contract, server, merchant_server):
    """Executes every story. Returns the results in the order of the page."""
    shop = Shop.of_demo(contract, server, merchant_server)
    operators = Api(contract, server.demo["base_url"], server.demo["operators"]["operator"], shop.id)
    with concurrent.futures.ThreadPoolExecutor(len(STORIES)) as clients:
        return list(clients.map(lambda story: play(shop, operators, story), STORIES))


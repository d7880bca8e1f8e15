"""Converts the timeline of an order into steps that are the same in every run of its scenario.

A step is a request or a report of the channel, with all changes of the commit that it caused. Steps omit data that
differs between runs: times, ids, balances, the source of a report, and reports that change nothing.
"""

import dataclasses

from api import FINAL

TOLD_WHEN = {"order.succeeded": ("order", "succeeded"), "order.failed": ("order", "failed"),
             "order.closed": ("order", "closed"), "refund.succeeded": ("refund", "succeeded"),
             "refund.failed": ("refund", "failed"), "refund.external": ("refund", "succeeded"),
             "refund.returned": ("refund", "returned"),
             "payment.reversed": ("reversal", "succeeded"), "case.opened": ("case", "open")}
ORDINALS = ["first", "second", "third"]


def money(amount, currency):
    return f"{'−' if amount < 0 else ''}{abs(amount) // 100}.{abs(amount) % 100:02d} {currency}"


@dataclasses.dataclass
class Step:
    by: str
    what: str
    arrows: list                                            # arrows of the diagram: (from, to, text)
    word: tuple = None                                      # a channel's report: object id, evidence, text
    by_query: bool = False
    states: dict = dataclasses.field(default_factory=dict)  # new state by the object's name
    became: set = dataclasses.field(default_factory=set)    # (kind of object, state)
    entries: list = dataclasses.field(default_factory=list)
    told: list = dataclasses.field(default_factory=list)


class Names:
    """Maps ids of an order's objects to the names that the page shows."""

    def __init__(self, played):
        self._names = {played.order["id"]: "order"}
        self._trades = {payment["id"]: [] for payment in played.payments}
        self._channels = {payment["id"]: payment["channel"] for payment in played.payments}
        for refund in played.refunds:
            self._channels[refund["id"]] = self._channels[refund["payment"]]
        by_kind = {"payment": played.payments, "case": played.cases}
        for kind in ["refund", "reversal"]:
            by_kind[kind] = [refund for refund in played.refunds if refund["kind"] == kind]
        for kind, rows in by_kind.items():
            for number, row in enumerate(rows):
                self._names[row["id"]] = kind if len(rows) == 1 else f"{ORDINALS[number]} {kind}"

    def of(self, object_id):
        return self._names[object_id]

    def channel(self, object_id):
        """Returns the name of the object's channel if the order uses several channels, otherwise "channel"."""
        return self._channels[object_id] if len(set(self._channels.values())) > 1 else "channel"

    def later_trade(self, payment, trade_no):
        """Returns a list with the ordinal of the trade, such as `the second trade`. The list is empty for the payment's
        first reported trade."""
        known = self._trades[payment]
        if trade_no not in known:
            known.append(trade_no)
        number = known.index(trade_no)
        return [f"the {ORDINALS[number]} trade"] if number > 0 else []


class Teller:
    """Converts the timeline of a scenario run into `steps`."""

    def __init__(self, played):
        self.steps = []
        self.names = Names(played)
        self._story = played.story
        self._back = {refund["id"]: money(refund["amount"], refund["currency"]) for refund in played.refunds}
        self._request_id = None  # request id of the API request that caused the current commit
        self._asked = []         # steps of the channel requests that the current commit causes
        self._sent = []          # ids of requested payments, one element per request
        self._final = set()      # ids of payments with a final state
        self._paid = set()       # numbers of trades that are paid
        self._last_word = {}     # text of the last report by object id
        for item in played.timeline:
            self._take(item)
        self._end_commit()
        for item in played.timeline:
            if item["kind"] == "delivery" and "url" in item["detail"]:
                self._tell_merchant(item["detail"]["type"])

    def _take(self, item):
        if item["kind"] in ("response", "notification", "query"):
            self._begin(self._word(item))
        elif item["kind"] == "entry":
            self.steps[-1].entries.append(item["detail"])
        elif item["kind"] == "request" and item["object_id"].startswith("pay_"):
            self._ask_for_trade(item["object_id"])
        elif item["kind"] not in ("delivery", "request"):  # a refund's request is shown by its `send` event
            self._event(item["detail"])

    def _begin(self, step):
        self._end_commit()
        self._request_id = None
        self.steps.append(step)

    def _end_commit(self):
        if self.steps and self._is_no_news(self.steps[-1]):
            self.steps.pop()
        self.steps += self._asked
        self._asked = []

    def _is_no_news(self, step):
        """Returns whether the page omits the step: a repeated report without effect, or `waiting` from a query or after
        a resend."""
        if step.word is None:
            return False
        about, evidence, text = step.word
        still_awaited = set(step.states.values()) == {"stays pending"}  # a resend after a lost response
        if evidence == "waiting" and (step.by_query or still_awaited):
            return True
        again = self._last_word.get(about) == text
        self._last_word[about] = text
        return again and not step.became and not self._story.repeats

    # Steps of reports from channels.

    def _word(self, item):
        detail, about = item["detail"], item["object_id"]
        channel, text = self.names.channel(about), self._text_of(about, detail)
        by_query = item["kind"] == "query"
        arrows, verb = [(channel, "finality", text)], "reports"
        if by_query and self._only_asking_brings_it(about, detail):
            verb = "replies to a query"
            arrows.insert(0, ("finality", channel, "queries the result"))
        elif detail["via"].get("call") in ("send_payment", "send_refund"):
            verb = "replies"
        return Step(channel, f"{verb}: {text}", self._before(detail, about, channel) + arrows,
                    word=(about, detail["evidence"], text), by_query=by_query)

    def _only_asking_brings_it(self, about, detail):
        untold = not about.startswith("pay_") and self._story.channel == "sandbox"  # no refund notifications
        return self._story.asked or detail["evidence"] == "not_found" or untold

    def _text_of(self, about, detail):
        evidence = detail["evidence"]
        parts = [{"not_found": "trade not found", "try_again": "refused temporarily, number invalid",
                  "not_now": "refused temporarily, number still valid",
                  "unknown": f"unknown ({detail.get('code')})"}.get(evidence, evidence)]
        if evidence in ("paid", "refunded") and "amount" in detail:
            parts.append(money(detail["amount"], detail["currency"]))
        if "returned" in detail:
            parts.append("then returned")
        if detail.get("stranded"):
            parts.append("payout blocked until an operator acts")
        if "channel_trade_no" in detail:
            parts += self.names.later_trade(about, detail["channel_trade_no"])
        return ", ".join(parts)

    def _before(self, detail, about, channel):
        """Returns the diagram arrows of the event at the channel that must precede the report, such as the payer's
        payment."""
        trade_no, evidence = detail.get("channel_trade_no"), detail["evidence"]
        if evidence == "paid" and trade_no not in self._paid:
            self._paid.add(trade_no)
            return [("payer", channel, f"pays {money(detail['amount'], detail['currency'])}")]
        if "returned" in detail:
            return [("payer", channel, f"cannot receive {self._back[about]}")]
        if evidence == "refunded":
            back = self._back.get(about) or money(detail["amount"], detail["currency"])
            return [(channel, "payer", f"refunds {back}")]
        return []

    # Events that reports and API requests cause.

    def _event(self, event):
        cause = event["cause"]
        if event["event"] == "send" and not event["object_id"].startswith("pay_"):
            return self._ask(event["object_id"], f"requests a refund of {self._back[event['object_id']]}", event["to"])
        if event["event"] == "send":
            return None  # the item of kind `request` already made a step
        assert cause["kind"] != "timer", f"only `send` can have the cause timer here: {event}"
        if cause["kind"] == "api" and cause["request_id"] != self._request_id:
            what = self._call(event)
            self._begin(Step("merchant", what, [("merchant", "finality", what)]))
            self._request_id = cause["request_id"]
        return self._follow(self.steps[-1], event)

    def _call(self, event):
        return {"order.created": "creates the order, with a payment", "payment.created": "starts a second payment",
                "order.payment_started": "starts a second payment",
                "order.close_requested": "requests to close the order",
                "refund.created": f"requests a refund of {self._back.get(event['object_id'])}"}[event["type"]]

    def _follow(self, step, event):
        kind, object_id, moves = event["object_type"], event["object_id"], event["cell"] == "move"
        if moves:
            step.states[self.names.of(object_id)] = event["to"]
            step.became.add((kind, event["to"]))
        elif kind == "payment" or event["event"] in ("close_requested", "refund_returned"):
            step.states[self.names.of(object_id)] = f"stays {event['to']}"
        if event["event"] == "refund_returned":
            step.became.add(("refund", "returned"))
        if kind == "payment" and (event["type"], moves) == ("payment.failed", True):
            step.arrows.insert(0, ("payer", self.names.channel(object_id), "declines"))
        if kind == "payment" and event["to"] in FINAL:
            self._final.add(object_id)
        if event["type"] in ("order.close_requested", "order.paid"):
            for payment in [each for each in self._sent if each not in self._final]:
                self._ask(payment, "requests to close the trade")

    def _ask_for_trade(self, payment):
        self._ask(payment, "requests the trade" + (" again, under the same number" if payment in self._sent else ""),
                  "processing")
        self._sent.append(payment)

    def _ask(self, about, what, state=None):
        states = {} if state is None else {self.names.of(about): state}
        channel = self.names.channel(about)
        self._asked.append(Step("Finality", what, [("finality", channel, what)], states=states))

    def _tell_merchant(self, kind):
        # An external refund occurs after the requested refunds, so its step is the last match.
        steps = reversed(self.steps) if kind == "refund.external" else self.steps
        step = next(step for step in steps if TOLD_WHEN[kind] in step.became and kind not in step.told)
        step.told.append(kind)

"""Converts the timeline of an order into steps that are the same in every run of its scenario.

A step is a request or a report of the channel, with all changes of the commit that it caused. Steps omit data that
differs between runs: times, ids, balances, the source of a report, and reports that change nothing.
"""

import dataclasses

from shop import ENDED

TOLD_WHEN = {"order.succeeded": ("order", "succeeded"), "order.failed": ("order", "failed"),
             "order.closed": ("order", "closed"), "refund.succeeded": ("refund", "succeeded"),
             "refund.failed": ("refund", "failed"), "refund.external": ("refund", "succeeded"),
             "refund.returned": ("refund", "returned"),
             "payment.reversed": ("reversal", "succeeded"), "case.opened": ("case", "open"),
             "order.authorized": ("order", "authorized"), "authorization.expiring": ("authorization", "expiring"),
             "authorization.released": ("authorization", "released"),
             "capture.succeeded": ("capture", "succeeded"), "capture.failed": ("capture", "failed")}
ORDINALS = ["first", "second", "third"]
CHARGED = ("pay_", "auth_", "cap_")  # objects whose request to the channel is an item of the timeline
# Events of authorizations and captures that are not shown when they keep the state.
QUIET = {"waiting", "authorized", "already_known", "release", "expiring"}


def money(amount, currency):
    return f"{'−' if amount < 0 else ''}{abs(amount) // 100}.{abs(amount) % 100:02d} {currency}"


@dataclasses.dataclass
class Step:
    by: str
    what: str
    arrows: list                                            # arrows of the diagram: (from, to, text)
    word: tuple = None                                      # a channel's report: object id, evidence, text
    detail: dict = None                                     # of the report
    released_before: int = 0                                # amount that the channel had reported as released
    by_query: bool = False
    states: dict = dataclasses.field(default_factory=dict)  # new state by the object's name
    became: set = dataclasses.field(default_factory=set)    # (kind of object, state)
    entries: list = dataclasses.field(default_factory=list)
    told: list = dataclasses.field(default_factory=list)
    captures: list = dataclasses.field(default_factory=list)  # ids of captures that changed


class Names:
    """Maps ids of an order's objects to the names that the page shows."""

    def __init__(self, played):
        self._names = {played.order["id"]: "order"}
        captures = captures_of(played)
        charged = [*played.payments, *played.authorizations, *captures]
        self._trades = {row["id"]: [] for row in charged}
        self._channels = {row["id"]: row["channel"] for row in played.payments + played.authorizations}
        for row in captures + played.refunds:
            collector = row.get("payment") or row.get("authorization") or row["capture"]
            self._channels[row["id"]] = self._channels[collector]
        by_kind = {"payment": played.payments, "authorization": played.authorizations, "capture": captures,
                   "case": played.cases}
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

    def later_trade(self, object_id, trade_no):
        """Returns a list with the ordinal of the trade, such as `the second trade`. The list is empty for the object's
        first reported trade."""
        known = self._trades[object_id]
        if trade_no not in known:
            known.append(trade_no)
        number = known.index(trade_no)
        noun = "hold" if object_id.startswith("auth_") else "trade"
        return [f"the {ORDINALS[number]} {noun}"] if number > 0 else []


def captures_of(played):
    """Returns all captures of the order, oldest first."""
    captures = [capture for each in played.authorizations for capture in each["captures"]]
    return sorted(captures, key=lambda capture: (capture["created_at"], capture["id"]))


class Teller:
    """Converts the timeline of a scenario run into `steps`."""

    def __init__(self, played):
        self.steps = []
        self.names = Names(played)
        self._story = played.story
        self._back = {refund["id"]: money(refund["amount"], refund["currency"]) for refund in played.refunds}
        self._captures = {capture["id"]: capture for capture in captures_of(played)}
        self._method = "an authorization" if played.authorizations else "a payment"
        self._request_id = None  # request id of the API request that caused the current commit
        self._asked = []         # steps of the channel requests that the current commit causes
        self._timer_at = None    # time of the commit that the deadline caused
        self._sent = []          # ids of requested payments, authorizations and captures, one element per request
        self._settled = set()    # ids of payments and authorizations whose close need not be requested
        self._held = {}          # last report with amounts by authorization
        self._holds = set()      # texts of reports about authorizations
        self._released = set()   # authorizations with a requested release
        self._captured = {}      # captured amount by authorization
        self._dead = set()       # authorizations whose last release number cannot be used again
        self._paid = set()       # numbers of trades that are paid, and of holds
        self._last_word = {}     # text of the last report by object id
        for item in played.timeline:
            self._take(item)
        self._end_commit()
        for item in played.timeline:
            if item["kind"] == "delivery" and "url" in item["detail"]:
                self._tell_merchant(item["detail"]["type"])
        for step in self.steps if played.authorizations else []:  # several reports can end one step
            step.told.sort(key=list(TOLD_WHEN).index)

    def _take(self, item):
        if item["kind"] in ("response", "notification", "query"):
            self._begin(self._word(item))
        elif item["kind"] == "entry":
            self.steps[-1].entries.append(item["detail"])
        elif item["kind"] == "request" and "out_trade_no" in item["detail"]:
            self._ask_for_trade(item["object_id"])
        elif item["kind"] not in ("delivery", "request"):  # a refund's request is shown by its `send` event
            self._event(item["detail"])

    def _begin(self, step):
        self._end_commit()
        self._request_id = None
        self.steps.append(step)

    def _end_commit(self):
        if self.steps and self.steps[-1].word and self.steps[-1].word[0].startswith("auth_"):
            self._tell_hold(self.steps[-1])
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
        if about.startswith("auth_") and not step.states:
            # Which of several reports about a capture arrives first is a race, and a close is answered late.
            known = evidence != "authorized" or text in self._holds
            self._holds.add(text)
            return known
        if about.startswith("cap_") and not step.states:
            return True
        if about.startswith("auth_"):
            self._holds.add(text)
        again = self._last_word.get(about) == text
        self._last_word[about] = text
        return again and not step.became and not self._story.repeats

    # Reports about authorizations.

    def _tell_hold(self, step):
        """Completes a report about an authorization. If it brings captures, it reads like a report about these. A report
        about an amount that is captured in full only repeats the report about its last capture."""
        about, evidence, text = step.word
        captured, released = step.detail.get("captured", 0), step.detail.get("released", 0)
        newly_released = released - step.released_before
        if step.captures:
            ids = list(dict.fromkeys(step.captures))
            text = ", ".join(self._text_of_capture(each) for each in ids)
            console = [arrow for each in ids for arrow in self._console_capture(each)]
            step.arrows = [*console, (step.by, "finality", text)]
            step.what, step.word = f"reports: {text}", (about, evidence, text)
        elif step.states and captured and captured == step.detail["authorized"]:
            reports = [each for each in self.steps[:-1] if each.word and each.word[0] in self._captures]
            report = reports[-1] if reports else None
            if report is not None:
                report.states |= step.states
                report.became |= step.became
                step.states, step.became = {}, set()
        elif newly_released > 0:
            step.arrows.insert(-1, (step.by, "payer", f"releases {money(newly_released, step.detail['currency'])}"))

    def _text_of_capture(self, capture):
        return f"captured, {money(self._captures[capture]['amount'], self._captures[capture]['currency'])}"

    def _console_capture(self, capture):
        row = self._captures[capture]
        if row["origin"] != "channel":
            return []
        channel = self.names.channel(capture)
        return [(channel, channel, f"an employee captures {money(row['amount'], row['currency'])}")]

    def _ask_for_release(self, authorization):
        held = self._held[authorization]
        rest = held["authorized"] - held["released"] - self._captured.get(authorization, 0)
        again = ""
        if authorization in self._released:
            again = ", under a new number" if authorization in self._dead else " again, under the same number"
        self._released.add(authorization)
        self._dead.discard(authorization)
        self._ask(authorization, f"requests to release {money(rest, held['currency'])}{again}")

    # Steps of reports from channels.

    def _word(self, item):
        detail, about = item["detail"], item["object_id"]
        channel, text = self.names.channel(about), self._text_of(about, detail)
        by_query = item["kind"] == "query"
        arrows, verb = [(channel, "finality", text)], "reports"
        if by_query and self._only_asking_brings_it(about, detail):
            verb = "replies to a query"
            arrows.insert(0, ("finality", channel, "queries the result"))
        elif self._is_reply(about, detail):
            verb = "replies"
        step = Step(channel, f"{verb}: {text}", self._before(detail, about, channel) + arrows,
                    word=(about, detail["evidence"], text), detail=detail, by_query=by_query)
        if about.startswith("auth_") and "authorized" in detail:
            step.released_before = self._held.get(about, {}).get("released", 0)
            self._held[about] = detail
        return step

    @staticmethod
    def _is_reply(about, detail):
        """Returns whether only the response to the request can bring the report."""
        call = detail["via"].get("call")
        if about.startswith(("auth_", "cap_")):
            results = ("authorized", "released", "expired", "paid")
            return call is not None and not call.startswith("query") and detail["evidence"] not in results
        return call in ("send_payment", "send_refund")

    def _only_asking_brings_it(self, about, detail):
        untold = not about.startswith(CHARGED) and self._story.channel == "sandbox"  # no refund notifications
        return self._story.asked or detail["evidence"] == "not_found" or untold

    def _text_of(self, about, detail):
        evidence = detail["evidence"]
        if about.startswith("auth_") and "authorized" in detail:
            return self._text_of_hold(about, detail)
        if about.startswith("cap_") and evidence == "paid":
            return self._text_of_capture(about)
        parts = [{"not_found": "trade not found", "try_again": "refused temporarily, number invalid",
                  "not_now": "refused temporarily, number still valid",
                  "release_again": "refused temporarily, number invalid",
                  "release_refused": "the release is refused",
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

    def _text_of_hold(self, about, detail):
        total, captured, released = (money(detail[name], detail["currency"])
                                     for name in ("authorized", "captured", "released"))
        if detail["evidence"] == "authorized":
            parts = [f"holds {total}", *([f"of which {released} are released"] if detail["released"] else [])]
        else:
            ended = {"expired": "the hold has lapsed"}.get(detail["evidence"], "the hold is over")
            parts = [ended, *([f"captured {captured}"] if detail["captured"] else []), f"released {released}"]
        return ", ".join(parts + self.names.later_trade(about, detail["channel_trade_no"]))

    def _before(self, detail, about, channel):
        """Returns the diagram arrows of the event at the channel that must precede the report, such as the payer's
        payment."""
        trade_no, evidence = detail.get("channel_trade_no"), detail["evidence"]
        if about.startswith("auth_"):
            if not detail.get("authorized") or trade_no in self._paid:
                return []
            self._paid.add(trade_no)
            return [("payer", channel, f"authorizes {money(detail['authorized'], detail['currency'])}")]
        if about.startswith("cap_"):
            return []
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
        if event["event"] == "send" and not event["object_id"].startswith(CHARGED):
            return self._ask(event["object_id"], f"requests a refund of {self._back[event['object_id']]}", event["to"])
        if event["event"] == "send":
            return None  # the item of kind `request` already made a step
        if cause["kind"] == "timer" and event["at"] != self._timer_at:
            self._begin(Step("Finality", self._call_of_clock(event), []))
            self._timer_at = event["at"]
        if cause["kind"] == "api" and cause["request_id"] != self._request_id:
            what = self._call(event)
            self._begin(Step("merchant", what, [("merchant", "finality", what)]))
            self._request_id = cause["request_id"]
        return self._follow(self.steps[-1], event)

    @staticmethod
    def _call_of_clock(event):
        is_near = event["type"] == "authorization.expiring"
        return "the deadline for captures approaches" if is_near else "the deadline for captures has passed"

    def _call(self, event):
        if event["type"] == "capture.created":
            capture = self._captures[event["object_id"]]
            last = "" if capture["final"] else ", not final"
            return f"requests a capture of {money(capture['amount'], capture['currency'])}{last}"
        second = f"starts a second {self._method.split()[1]}"
        return {"order.created": f"creates the order, with {self._method}", "payment.created": second,
                "order.payment_started": second, "authorization.created": second,
                "authorization.release": "requests to release the hold",
                "order.close_requested": "requests to close the order",
                "refund.created": f"requests a refund of {self._back.get(event['object_id'])}"}[event["type"]]

    def _follow(self, step, event):
        kind, object_id, moves = event["object_type"], event["object_id"], event["cell"] == "move"
        if moves:
            step.states[self.names.of(object_id)] = event["to"]
            step.became.add((kind, event["to"]))
        elif self._shows_kept_state(event):
            step.states[self.names.of(object_id)] = f"stays {event['to']}"
        self._note(step, event)
        if moves and event["type"] in ("payment.failed", "authorization.failed"):
            step.arrows.insert(0, ("payer", self.names.channel(object_id), "declines"))
        if event["type"] in ("order.close_requested", "order.paid", "order.authorized"):
            for charged in dict.fromkeys(self._sent):
                noun = {"pay": "trade", "auth": "authorization"}.get(charged.split("_")[0])
                if noun and charged not in self._settled:
                    self._ask(charged, f"requests to close the {noun}")

    @staticmethod
    def _shows_kept_state(event):
        if event["object_type"] in ("authorization", "capture"):
            return event["event"] not in QUIET
        if event["event"] == "close_requested":
            return event["cause"]["kind"] == "api"
        return event["object_type"] == "payment" or event["event"] == "refund_returned"

    def _note(self, step, event):
        """Notes what the event says about later steps."""
        kind, object_id, name = event["object_type"], event["object_id"], event["event"]
        if name == "refund_returned":
            step.became.add(("refund", "returned"))
        if kind == "capture" and name != "already_known":
            step.captures.append(object_id)
        if kind == "capture" and event["cell"] == "move" and event["to"] == "succeeded":
            capture = self._captures[object_id]
            hold = capture["authorization"]
            self._captured[hold] = self._captured.get(hold, 0) + capture["amount"]
        if kind in ("payment", "authorization") and event["to"] in ENDED | {"authorized", "releasing"}:
            self._settled.add(object_id)
        if kind != "authorization":
            return
        if name in ("expiring", "hold_ended"):
            step.became.add((kind, {"hold_ended": "released"}.get(name, name)))
        if name == "release_again":
            self._dead.add(object_id)
        if name == "release":
            self._ask_for_release(object_id)

    def _ask_for_trade(self, about):
        again = " again, under the same number" if about in self._sent else ""
        noun = {"auth": "the authorization", "pay": "the trade"}.get(about.split("_")[0])
        if noun is None:
            noun = f"a capture of {money(self._captures[about]['amount'], self._captures[about]['currency'])}"
        self._ask(about, f"requests {noun}{again}", "processing")
        self._sent.append(about)

    def _ask(self, about, what, state=None):
        states = {} if state is None else {self.names.of(about): state}
        channel = self.names.channel(about)
        self._asked.append(Step("Finality", what, [("finality", channel, what)], states=states))

    def _tell_merchant(self, kind):
        # An external refund occurs after the requested refunds, so its step is the last match.
        steps = reversed(self.steps) if kind == "refund.external" else self.steps
        step = next(step for step in steps if TOLD_WHEN[kind] in step.became and kind not in step.told)
        step.told.append(kind)

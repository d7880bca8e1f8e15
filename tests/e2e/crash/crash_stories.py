"""Scenarios of the crash rounds (crash_rounds.py): the steps of merchant and payer, and the allowed final results."""

import collections.abc
import dataclasses

import authorizations
from authorizations import CLOSED, HALF, RELEASED, SUCCEEDED, HoldRow
from scenarios import AMOUNT, ASK, LOCAL, ONE_ATTEMPT, ROWS, Row, webhooks_for_external
from shop import Shop

CHANNELS = ["sandbox", "sandbox2"]


@dataclasses.dataclass(frozen=True)
class End:
    """A final result that a scenario allows for its order."""

    state: str
    reversals: int = 0
    cases: tuple = ()
    net: collections.abc.Callable = None
    trades: bool = True   # False: the channel must have no trade of the order
    why: str = ""         # why a crash can cause this result; empty: the result without a crash
    webhooks: tuple = ()  # besides the webhook of the order's final state, of its reversals, cases and refunds
    hold: tuple = None    # of an order with manual capture: state and end_reason of its authorization, captured amount


@dataclasses.dataclass(frozen=True)
class Story(Row):
    """Scenario of a crash round: a row of scenarios.py with further steps of the merchant and the payer."""

    presses: bool = False    # the payer presses Pay on the payer's page
    second: str = None       # scenario of a second payment over the other channel, once the first is `second_when`
    second_when: str = "pending"
    refunds: tuple = ()      # after the payment: pairs of a part of the amount and the refund's final state
    note: str = ""
    amount = None  # any

    @property
    def attempts(self):
        """The number of payments."""
        return 2 if self.second else 1

    @property
    def name(self):
        return "-".join([super().name, *([self.note] if self.note else [])])

    @property
    def body(self):
        """Fields of the order request."""
        return self.fields

    @property
    def end(self):
        return End(self.state, self.reversals, self.cases, self.net, webhooks=tuple(webhooks_for_external(self)))


@dataclasses.dataclass(frozen=True)
class HoldStory(HoldRow):
    """Scenario of a crash round with manual capture: a row of authorizations.py with further steps of the merchant."""

    closes_held: bool = False  # the merchant closes the order after the captures
    refunds: tuple = ()        # after the captures: pairs of a part of the captured amount and the refund's final state
    note: str = ""
    amount = AMOUNT            # the captures of a row are parts of it
    attempts = 1               # authorizations

    @property
    def name(self):
        return "-".join([super().name, *([self.note] if self.note else [])])

    @property
    def body(self):
        """Fields of the order request."""
        return {"capture_method": "manual"} | self.fields

    @property
    def acts_on_hold(self):
        """Whether the merchant makes a request once the amount is held."""
        return bool(self.captures or self.releases or self.closes_held)

    @property
    def end(self):
        webhooks = (*self.webhooks, *(["order.authorized"] if self.is_authorized else []))
        return End(self.state, self.reversals, self.cases, webhooks=webhooks, hold=(self.ended, self.reason, self.paid))


# Rows that the crash rounds do not need: the end of their hold can be reported before the hold (the first three), they
# are slow, or their steps are those of other stories.
LEFT_OUT = {"lapses", "captured_by_channel", "released_by_channel", "capture_not_now", "release_refused_for_now",
            "authorizes_late", "partly_released_by_channel", "declines", "never_pays"}
WHOLE = (authorizations.ALL,)
DEADLINE = {"capture_within": 2}
HOLD_STORIES = [
    *(HoldStory(**vars(row)) for row in authorizations.ROWS if row.scenario not in LEFT_OUT),
    HoldStory("authorizes", captures=WHOLE, paid=AMOUNT, webhooks=(SUCCEEDED,), refunds=((0.5, "succeeded"),),
              note="refunded"),
    HoldStory("authorizes", **CLOSED, reason="order_closed", fields=ASK, closes_held=True, webhooks=(RELEASED,),
              note="closed-ask"),
    HoldStory("authorizes", **CLOSED, reason="order_closed", fields=LOCAL, closes_held=True, webhooks=(RELEASED,),
              note="closed-local"),
    HoldStory("authorizes", captures=((HALF, False),), paid=HALF, reason="order_closed", closes_held=True,
              webhooks=(SUCCEEDED,), note="closed"),
    HoldStory("authorizes", **CLOSED, reason="expired", fields=DEADLINE, webhooks=(RELEASED,), note="deadline-release"),
    HoldStory("authorizes", paid=AMOUNT, origin="deadline", fields=DEADLINE | {"on_capture_deadline": "capture"},
              webhooks=(SUCCEEDED,), note="deadline-capture"),
]

PART, ALL = 0.5, 1.0
STORIES = [
    *(Story(**vars(row)) for row in ROWS),
    Story("pays"),
    Story("declines", "failed", fields=ONE_ATTEMPT),
    Story("declines", second="pays", second_when="failed", note="then-pays"),
    Story("manual", presses=True),
    Story("manual", second="pays", note="pays-elsewhere"),
    Story("pays_on_close", second="pays", reversals=1, note="and-elsewhere"),
    Story("never_pays", "closed", fields=ASK, closes=True),
    Story("never_pays", "closed", fields=LOCAL, closes=True),
    Story("pays", refunds=((ALL, "succeeded"),), note="refunded"),
    Story("pays", refunds=((PART, "succeeded"), (PART, "succeeded")), note="refunded-twice"),
    Story("refund_fails_twice", refunds=((PART, "succeeded"),)),
    Story("refund_refused", refunds=((ALL, "failed"),)),
    Story("refund_unknown", refunds=((PART, "succeeded"),)),
    *HOLD_STORIES,
]
LONGEST = "channel_down"  # excluded from the last two rounds, because it would prolong the run


# A crash may delay a message of the channel, so that a later message arrives before it.
PAID_IN_TIME = End("succeeded", why="the result `paid` arrived before the older result `closed`")
NEVER_SENT = End("closed", trades=False, why="the order had expired before its payment could be sent")
# Results allowed only for orders that were open at a kill, or whose requests or results were delayed (crash_checks.py).
ENDS_BY_A_CRASH = {
    "pays_after_close-ask": [PAID_IN_TIME],
    "pays_after_close-ask-expires": [PAID_IN_TIME, NEVER_SENT],
    "pays_after_close-local-expires": [PAID_IN_TIME, NEVER_SENT],
    "success_then_failure": [End("failed", reversals=1, cases=("paid_after_failure",),
                                 why="the false result arrived before the true one"),
                             End("succeeded", why="a query after the failure returned the success")],
    "failure_then_success": [End("succeeded", why="the success arrived before the older failure")],
    "authorizes_after_close-closes": [End("closed", webhooks=(RELEASED,), hold=("released", "late", 0),
                                          why="the hold was reported before the older result `closed`")],
}


@dataclasses.dataclass
class Played:
    """One run of a scenario with its order, and the final result of the order."""

    shop: Shop
    story: Story
    seed: int
    round: int
    place: int
    amount: int
    order_id: str = None
    refund_ids: list = dataclasses.field(default_factory=list)
    stuck: str = ""     # the error, if the run could not be completed
    order: dict = None  # the order in its final state
    end: End = None

    @property
    def merchant_order_no(self):
        return f"{self.seed}-{self.round}-{self.place}"

    @property
    def channels(self):
        """The channels of the first and the second payment; they alternate between runs."""
        return CHANNELS if self.place % 2 else CHANNELS[::-1]

    @property
    def ends(self):
        """All allowed final results. The first element is the result without a crash."""
        return [self.story.end, *ENDS_BY_A_CRASH.get(self.story.name, [])]

    def __str__(self):
        return f"round {self.round}, {self.story.name}, {self.merchant_order_no}, {self.order_id}"

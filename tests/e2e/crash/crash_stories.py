"""Scenarios of the crash rounds (crash_rounds.py): the steps of merchant and payer, and the allowed final results."""

import collections.abc
import dataclasses

from scenarios import ASK, LOCAL, ONE_ATTEMPT, ROWS, Row
from shop import Shop

CHANNELS = ["sandbox", "sandbox2"]


@dataclasses.dataclass(frozen=True)
class Story(Row):
    """Scenario of a crash round: a row of scenarios.py with further steps of the merchant and the payer."""

    presses: bool = False    # the payer presses Pay on the payer's page
    second: str = None       # scenario of a second payment over the other channel, once the first is `second_when`
    second_when: str = "pending"
    refunds: tuple = ()      # after the payment: pairs of a part of the amount and the refund's final state
    note: str = ""

    @property
    def name(self):
        return "-".join([super().name, *([self.note] if self.note else [])])


HALF, ALL = 0.5, 1.0
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
    Story("pays", refunds=((HALF, "succeeded"), (HALF, "succeeded")), note="refunded-twice"),
    Story("refund_fails_twice", refunds=((HALF, "succeeded"),)),
    Story("refund_refused", refunds=((ALL, "failed"),)),
    Story("refund_unknown", refunds=((HALF, "succeeded"),)),
]
LONGEST = "channel_down"  # excluded from the last two rounds, because it would prolong the run


@dataclasses.dataclass(frozen=True)
class End:
    """A final result that a scenario allows for its order."""

    state: str
    reversals: int = 0
    cases: tuple = ()
    net: collections.abc.Callable = None
    trades: bool = True  # False: the channel must have no trade of the order
    why: str = ""        # why a crash can cause this result; empty: the result without a crash


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
        story = self.story
        return [End(story.state, story.reversals, story.cases, story.net), *ENDS_BY_A_CRASH.get(story.name, [])]

    def __str__(self):
        return f"round {self.round}, {self.story.name}, {self.merchant_order_no}, {self.order_id}"

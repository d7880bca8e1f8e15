"""What is played in the rounds of crash_rounds.py: stories of merchant and payer, and the right ends of each."""

import collections.abc
import dataclasses

from scenarios import ASK, LOCAL, ONE_ATTEMPT, ROWS, Row
from shop import Shop

CHANNELS = ["sandbox", "sandbox2"]


@dataclasses.dataclass(frozen=True)
class Story(Row):
    """A row, and what merchant and payer do beside."""

    presses: bool = False    # the payer presses Pay on his page
    second: str = None       # once the first payment has `second_when`: the scenario of another, over the other channel
    second_when: str = "pending"
    refunds: tuple = ()      # once paid: pairs of a part of the amount and the state the refund ends in
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
LONGEST = "channel_down"  # told in the first rounds only: the run would end with waiting for it


@dataclasses.dataclass(frozen=True)
class End:
    """What an order has come to, once all is quiet."""

    state: str
    reversals: int = 0
    cases: tuple = ()
    net: collections.abc.Callable = None
    trades: bool = True  # something came into being upstream
    why: str = ""        # empty: this is how it ends without a crash


# A crash may delay one word of the channel, so that another is heard before it.
PAID_IN_TIME = End("succeeded", why="that the trade was paid was heard of before the older word that it was closed")
NEVER_SENT = End("closed", trades=False, why="the order had expired when its payment could be sent at last")
# For orders that were under way at a kill, held back, or heard of late (crash_checks.py), and for no others.
ENDS_BY_A_CRASH = {
    "pays_after_close-ask": [PAID_IN_TIME],
    "pays_after_close-ask-expires": [PAID_IN_TIME, NEVER_SENT],
    "pays_after_close-local-expires": [PAID_IN_TIME, NEVER_SENT],
    "success_then_failure": [End("failed", reversals=1, cases=("paid_after_failure",),
                                 why="the false word came before the true one"),
                             End("succeeded", why="heard of by a query that is younger than the failure")],
    "failure_then_success": [End("succeeded", why="heard of when it was paid already; the failure is an older word")],
}


@dataclasses.dataclass
class Told:
    """One story with an order of its own, and what has become of it."""

    shop: Shop
    story: Story
    seed: int
    round: int
    place: int
    amount: int
    order_id: str = None
    refund_ids: list = dataclasses.field(default_factory=list)
    stuck: str = ""     # why it could not be told to its end
    order: dict = None  # as it is once all is quiet
    end: End = None

    @property
    def merchant_order_no(self):
        return f"{self.seed}-{self.round}-{self.place}"

    @property
    def channels(self):
        """Of its first payment, and of its second one."""
        return CHANNELS if self.place % 2 else CHANNELS[::-1]

    @property
    def ends(self):
        """All that are right, the one without a crash first."""
        story = self.story
        return [End(story.state, story.reversals, story.cases, story.net), *ENDS_BY_A_CRASH.get(story.name, [])]

    def __str__(self):
        return f"round {self.round}, {self.story.name}, {self.merchant_order_no}, {self.order_id}"

"""The worlds that are searched, those that are broken on purpose, and the cells that no world can meet.

A world is what finality.pml is told by -D; what is not said there is off, or one. Each is small in some way, so that
all of it can be searched, and between them they are small in different ways.
"""

YES = "true"
LATE, LOCAL = {"LATE": YES}, {"LOCAL": YES}
EVERYTHING_WRONG = {**LATE, "LIES": YES, "WRONG": YES, "OPERATORS": YES, "REFUSALS": YES, "BY_HAND": YES}
ONE_SLOW_ENGINE = {"SLOW_ENGINES": 1, "REQUESTS": 1}
QUICK_ENGINES = {"SLOW_ENGINES": 0, "REQUESTS": 2}

WORLDS = {
    "one payment, two slow engines": {"REQUESTS": 2, **LATE},
    "one payment, everything goes wrong": {"REQUESTS": 1, **EVERYTHING_WRONG},
    "one payment, everything goes wrong, closed without asking": {**ONE_SLOW_ENGINE, **EVERYTHING_WRONG, **LOCAL},
    "one payment, two trades": {"TRADES": 2, **ONE_SLOW_ENGINE, **LATE, "WRONG": YES, "OPERATORS": YES},
    "two payments, a slow engine": {"PAYMENTS": 2, "ATTEMPTS": 2, **ONE_SLOW_ENGINE},
    "two payments, late money": {"PAYMENTS": 2, "ATTEMPTS": 2, **QUICK_ENGINES, **LATE},
    "two payments, late money, closed without asking": {"PAYMENTS": 2, **QUICK_ENGINES, **LATE, **LOCAL},
    "two refunds, two slow engines": {"REFUNDS": 2, "REQUESTS": 1},
    "two refunds, refused at will": {"REFUNDS": 2, **ONE_SLOW_ENGINE, "REFUSALS": YES, "BY_HAND": YES},
}

# What is left out or changed, in a world that is big enough to show it.
BROKEN = {
    "without the version": {"world": {**ONE_SLOW_ENGINE, "WITHOUT_VERSION": 1}},
    "without the key of a receipt": {"world": {**ONE_SLOW_ENGINE, "WITHOUT_RECEIPT_KEY": 1}},
    "unknown is failed": {"world": {**ONE_SLOW_ENGINE, "WITHOUT_UNKNOWN": 1}},
    "absent is believed before the deadline": {"world": {**ONE_SLOW_ENGINE, "WITHOUT_SEND_DEADLINE": 1}},
    "success is forgotten": {"cell": "payment.succeeded.failed=failed",
                             "world": {**ONE_SLOW_ENGINE, "LIES": YES, "BY_HAND": YES}},
    "what is paid too late stays": {"cell": "payment.closed.paid_unexpectedly=keep", "world": {**ONE_SLOW_ENGINE, **LATE}},
    "what is paid twice stays": {"cell": "payment.succeeded.paid_unexpectedly=keep",
                                 "world": {**ONE_SLOW_ENGINE, "TRADES": 2}},
    "a second payment while an answer is owed": {"cell": "order.processing.payment_started=keep",
                                                 "world": {**ONE_SLOW_ENGINE, "PAYMENTS": 2}},
    "a close is never carried out": {"cell": "order.processing.closed=keep", "world": ONE_SLOW_ENGINE},
    "a refund without an answer has failed": {"cell": "refund.processing.unknown=failed",
                                              "world": {**ONE_SLOW_ENGINE, "REFUNDS": 1}},
    "a refund that is accepted is believed": {"cell": "refund.processing.accepted=succeeded",
                                              "world": {**ONE_SLOW_ENGINE, "REFUNDS": 1, "REFUSALS": YES}},
    "a blocked reversal is given up": {"cell": "reversal.blocked.send=keep",
                                       "world": {**ONE_SLOW_ENGINE, **LATE, "REFUSALS": YES}},
}

# Why no world meets a cell: the reason, the machine, and for each event the states.
UNMET = [
    ("an order that has ended is settled no more", "order",
     {"result_outstanding": "succeeded failed closed", "result_received": "succeeded failed closed"}),
    ("the state was looked at before: nobody takes it up only to be refused", "order",
     {"close_requested": "succeeded failed closed"}),
    ("only a created payment is claimed for sending", "payment",
     {"send": "processing pending succeeded failed closed"}),
    ("the channel knew nothing of it: it takes a lie about one of two payments, and no world has both", "payment",
     {"paid_unexpectedly": "created"}),
    ("only an open payment is closed locally", "payment", {"close_locally": "succeeded failed closed"}),
    ("whose receipt is known has ended", "payment", {"already_known": "created processing pending"}),
    ("the channel gives back nothing by itself in these worlds", "reversal",
     {"nothing_left": "pending processing blocked succeeded settled_offline"}),
    ("only what is pending or blocked is claimed for sending", "refund", {"send": "processing succeeded failed"}),
    ("only what is pending or blocked is claimed for sending", "reversal",
     {"send": "processing succeeded settled_offline"}),
    ("it is blocked since the channel has refused it: that number is dead", "reversal",
     {event: "blocked" for event in ("accepted", "refunded", "not_now", "try_again", "refused", "not_found", "unknown")}),
    ("the channel does not contradict itself about a refund", "refund",
     {"refunded": "failed", "refused": "succeeded", "not_found": "succeeded failed", "try_again": "succeeded failed"}),
    ("the channel does not contradict itself about a refund", "reversal",
     {"refused": "succeeded", "not_found": "succeeded", "try_again": "succeeded"}),
    ("its number was dead before the payer got the money otherwise", "reversal",
     {event: "settled_offline"
      for event in ("accepted", "refunded", "not_now", "try_again", "refused", "not_found", "unknown")}),
    ("operators look at the state before", "reversal",
     {"retry": "pending processing succeeded settled_offline",
      "settled_offline": "pending processing succeeded settled_offline"}),
]

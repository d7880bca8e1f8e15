"""Configurations (“worlds”) of finality.pml for spin, broken variants in which spin must find an error, and the table
cells that no world visits.

A world is a set of -D options; the other options have their defaults. Each world bounds some parameters, such as
payments or requests, so that spin can search its complete state space. The bounds differ between worlds.
"""

MACHINES = ("order", "payment", "refund", "reversal")

YES = "true"
LATE, LOCAL = {"LATE": YES}, {"LOCAL": YES}
WRONG = {"WRONG": YES, "OPERATORS": YES}
EVERYTHING_WRONG = {**LATE, **WRONG, "FALSE_RESULTS": YES, "REFUSALS": YES, "BY_HAND": YES}
ONE_SLOW_ENGINE = {"SLOW_ENGINES": 1, "REQUESTS": 1}
QUICK_ENGINES = {"SLOW_ENGINES": 0, "REQUESTS": 2}

WORLDS = {
    "one payment, two slow engines": {"REQUESTS": 2, **LATE},
    "one payment, everything goes wrong": {"REQUESTS": 1, **EVERYTHING_WRONG},
    "one payment, everything goes wrong, closed without asking": {**ONE_SLOW_ENGINE, **EVERYTHING_WRONG, **LOCAL},
    "one payment, two trades": {"TRADES": 2, **ONE_SLOW_ENGINE, **LATE, **WRONG},
    "two payments, a slow engine": {"PAYMENTS": 2, "ATTEMPTS": 2, **ONE_SLOW_ENGINE},
    "two payments, late money": {"PAYMENTS": 2, "ATTEMPTS": 2, **QUICK_ENGINES, **LATE},
    "two payments, late money, closed without asking": {"PAYMENTS": 2, **QUICK_ENGINES, **LATE, **LOCAL},
    "two payments, wrong amounts": {"PAYMENTS": 2, "ATTEMPTS": 2, **QUICK_ENGINES, **WRONG, "BY_HAND": YES},
    "two payments, wrong amounts, closed without asking": {"PAYMENTS": 2, **QUICK_ENGINES, **WRONG, **LOCAL},
    "two refunds, two slow engines": {"REFUNDS": 2, "REQUESTS": 1},
    "two refunds, refused at will": {"REFUNDS": 2, **ONE_SLOW_ENGINE, "REFUSALS": YES, "BY_HAND": YES},
}

# Broken variants: a protection is removed or a table cell is changed. The world is large enough for the error to occur.
BROKEN = {
    "without the version": {"world": {**ONE_SLOW_ENGINE, "WITHOUT_VERSION": 1}},
    "without the key of a receipt": {"world": {**ONE_SLOW_ENGINE, "WITHOUT_RECEIPT_KEY": 1}},
    "unknown is failed": {"world": {**ONE_SLOW_ENGINE, "WITHOUT_UNKNOWN": 1}},
    "not_found is accepted before the deadline": {"world": {**ONE_SLOW_ENGINE, "WITHOUT_SEND_DEADLINE": 1}},
    "a success is overwritten": {"cell": "payment.succeeded.failed=failed",
                                 "world": {**ONE_SLOW_ENGINE, "FALSE_RESULTS": YES, "BY_HAND": YES}},
    "a late payment is not returned": {"cell": "payment.closed.paid_unexpectedly=keep",
                                       "world": {**ONE_SLOW_ENGINE, **LATE}},
    "a second trade is not returned": {"cell": "payment.succeeded.paid_unexpectedly=keep",
                                       "world": {**ONE_SLOW_ENGINE, "TRADES": 2}},
    "a second payment while a result is outstanding": {"cell": "order.processing.payment_started=keep",
                                                       "world": {**ONE_SLOW_ENGINE, "PAYMENTS": 2}},
    "a wrong amount is accepted without operators": {"world": {**ONE_SLOW_ENGINE, **WRONG, "WITHOUT_AMOUNT": 1}},
    "a returned wrong amount stays under review": {"cell": "payment.under_review.mismatch_rejected=keep",
                                                   "world": {**ONE_SLOW_ENGINE, **WRONG}},
    "a local close leaves a review open": {"cell": "payment.under_review.close_locally=keep",
                                           "world": {**ONE_SLOW_ENGINE, **WRONG, **LOCAL}},
    "a second payment during a review": {"world": {**QUICK_ENGINES, **WRONG, "PAYMENTS": 2, "WITHOUT_WAIT": 1}},
    "a close is never carried out": {"cell": "order.processing.closed=keep", "world": ONE_SLOW_ENGINE},
    "a refund without a response fails": {"cell": "refund.processing.unknown=failed",
                                          "world": {**ONE_SLOW_ENGINE, "REFUNDS": 1}},
    "an accepted refund succeeds": {"cell": "refund.processing.accepted=succeeded",
                                    "world": {**ONE_SLOW_ENGINE, "REFUNDS": 1, "REFUSALS": YES}},
    "a blocked reversal is never retried": {"cell": "reversal.blocked.send=keep",
                                            "world": {**ONE_SLOW_ENGINE, **LATE, "REFUSALS": YES}},
}

# Cells that no world visits. Rows: the reason, the machine, and {event: states}.
UNMET = [
    ("only orders with manual capture are authorized; authorization.pml models them", "order",
     {"authorized": "pending processing authorized",
      **{event: "authorized" for event in ("payment_started", "result_outstanding", "result_received", "paid",
                                           "close_requested", "closed")}}),
    ("a final order is not settled again", "order",
     {"result_outstanding": "succeeded failed closed", "result_received": "succeeded failed closed"}),
    ("the engine checks the state first and submits no command that would be refused", "order",
     {"close_requested": "succeeded failed closed"}),
    ("only a created payment is claimed for sending", "payment",
     {"send": "processing pending under_review succeeded failed closed"}),
    ("the channel has no trade yet; no world has both two payments and false results", "payment",
     {"paid_unexpectedly": "created"}),
    ("only an open payment is closed locally", "payment", {"close_locally": "succeeded failed closed"}),
    ("a payment with a receipt is final or under review", "payment", {"already_known": "created processing pending"}),
    ("operators check the state first", "payment",
     {event: "created processing pending succeeded failed closed"
      for event in ("mismatch_accepted", "mismatch_rejected")}),
    ("the channel refunds nothing without a request in these worlds", "reversal",
     {"nothing_left": "pending processing blocked succeeded settled_offline"}),
    ("only a pending or blocked row is claimed for sending", "refund", {"send": "processing succeeded failed"}),
    ("only a pending or blocked row is claimed for sending", "reversal",
     {"send": "processing succeeded settled_offline"}),
    ("it is blocked because the channel refused it: that number is no longer valid", "reversal",
     {event: "blocked" for event in ("accepted", "refunded", "not_now", "try_again", "refused", "not_found", "unknown")}),
    ("the channel does not contradict itself about a refund", "refund",
     {"refunded": "failed", "refused": "succeeded", "not_found": "succeeded failed", "try_again": "succeeded failed"}),
    ("the channel does not contradict itself about a refund", "reversal",
     {"refused": "succeeded", "not_found": "succeeded", "try_again": "succeeded"}),
    ("its number was no longer valid before the money was settled offline", "reversal",
     {event: "settled_offline"
      for event in ("accepted", "refunded", "not_now", "try_again", "refused", "not_found", "unknown")}),
    ("operators check the state first", "reversal",
     {"retry": "pending processing succeeded settled_offline",
      "settled_offline": "pending processing succeeded settled_offline"}),
]

"""Configurations (“worlds”) of authorization.pml for spin, broken variants in which spin must find an error, and the
table cells that no world visits. worlds.py describes the format.
"""

MACHINES = ("order", "authorization", "capture")

YES = "true"
LAPSE, LATE, LOCAL = {"LAPSE": YES}, {"LATE": YES}, {"LOCAL": YES}
ONE_SLOW_ENGINE = {"SLOW_ENGINES": 1, "REQUESTS": 1}
QUICK_ENGINES = {"SLOW_ENGINES": 0, "REQUESTS": 1}
LATE_HOLD = {"CAPTURES": 1, **ONE_SLOW_ENGINE, **LAPSE, **LATE, "FALSE_RESULTS": YES, "REFUSALS": YES, "BY_HAND": YES}
TWO_HOLDS = {"AUTHORIZATIONS": 2, "CAPTURES": 1, **QUICK_ENGINES, **LAPSE}
CONSOLE = {"CONSOLE": 1, "CAPTURES": 1, **ONE_SLOW_ENGINE, **LAPSE}

WORLDS = {
    "a capture, a release and a lapse, two slow engines": {"CAPTURES": 1, "REQUESTS": 1, **LAPSE},
    "a capture, a release and a lapse, two requests in flight": {"CAPTURES": 1, "SLOW_ENGINES": 1, **LAPSE},
    "two captures, refused at will": {**ONE_SLOW_ENGINE, **LAPSE, "REFUSALS": YES},
    "two captures, the rest captured at the deadline": {**ONE_SLOW_ENGINE, **LAPSE, "CAPTURES_AT_DEADLINE": YES},
    "a capture, made after it was refused": {"CAPTURES": 1, **ONE_SLOW_ENGINE, "REFUSALS": YES, "LATE_CAPTURES": YES,
                                             "BY_HAND": YES},
    "a late hold and a close, false results": LATE_HOLD,
    "a late hold and a close without asking, false results": {**LATE_HOLD, **LOCAL},
    "two holds, two requests in flight": {"AUTHORIZATIONS": 2, "CAPTURES": 1, "SLOW_ENGINES": 0},
    "two holds, late": {**TWO_HOLDS, **LATE},
    "two holds, closed without asking": {**TWO_HOLDS, "ATTEMPTS": 2, **LATE, **LOCAL},
    "the console, captures by number": {**CONSOLE, "KEEPS_REST": YES},
    "the console, captures by total": {**CONSOLE, "TOTALS": YES},
    "the console, no final flag": {**CONSOLE, "FINAL_FLAG": "false"},
}

# Broken variants: a protection is removed or a table cell is changed. The world is large enough for the error to occur.
QUICK = {"CAPTURES": 1, **QUICK_ENGINES}
BROKEN = {
    "without the version": {"world": {"CAPTURES": 1, **ONE_SLOW_ENGINE, "WITHOUT_VERSION": 1}},
    "without the key of a receipt": {"world": {**QUICK, "WITHOUT_RECEIPT_KEY": 1}},
    "unknown is failed": {"world": {**QUICK, "WITHOUT_UNKNOWN": 1}},
    "not_found is accepted before the deadline": {"world": {**QUICK, "REQUESTS": 2, "WITHOUT_SEND_DEADLINE": 1}},
    "a release beside a capture": {"world": {**QUICK, "WITHOUT_WAITING": 1}},
    "a capture of a hold that is being released": {"world": {**QUICK, "WITHOUT_STATE": 1}},
    "the deadline is reversed": {"world": {**QUICK, "DEADLINE_REVERSED": 1}},
    "a late hold is not released": {"cell": "authorization.closed.authorized_unexpectedly=keep",
                                    "world": {**QUICK, **LATE}},
    "a hold after a failure is not released": {"cell": "authorization.failed.authorized_after_failure=keep+case",
                                               "world": {**QUICK, **LATE}},
    "a second hold is kept": {"cell": "authorization.pending.authorized_unexpectedly=authorized", "world": TWO_HOLDS},
    "a release after a capture never ends": {"cell": "authorization.releasing.captured=keep", "world": QUICK},
    "a capture without a response fails": {"cell": "capture.processing.unknown=failed", "world": QUICK},
    "an accepted capture succeeds": {"cell": "capture.processing.accepted=succeeded", "world": QUICK},
    "a capture of an ended hold is not returned": {"cell": "capture.pending.captured_unexpectedly=failed",
                                                   "world": CONSOLE},
}

# Cells that no world visits. Rows: the reason, the machine, and {event: states}.
UNMET = [
    ("a final order is not settled again", "order",
     {"result_outstanding": "succeeded failed closed", "result_received": "succeeded failed closed"}),
    ("the engine checks the state first and submits no command that would be refused", "order",
     {"close_requested": "succeeded failed closed"}),
    ("no world with a slow engine limits the attempts", "order", {"payment_started": "failed"}),
    ("only a created authorization is claimed for sending", "authorization",
     {"send": "processing pending authorized releasing captured released failed closed"}),
    ("evidence is stale only if it was requested before the end, or under an earlier number of a release",
     "authorization", {"already_known": "created processing pending authorized"}),
    ("one currency", "authorization",
     {"authorized_mismatch": "created processing pending authorized releasing captured released failed closed"}),
    ("what was released is never held again", "authorization", {"authorized_unexpectedly": "released"}),
    ("only an authorization without a hold, or with a hold for the order, is closed locally", "authorization",
     {"close_locally": "releasing captured released failed closed"}),
    ("only the release of an authorized one is requested", "authorization",
     {"release": "created processing pending releasing captured released failed closed"}),
    ("there is no request to release it", "authorization",
     {"release_again": "authorized", "release_refused": "authorized"}),
    ("an authorization ends once", "authorization", {"captured": "captured", "released": "released failed closed"}),
    ("one amount, one currency", "capture", {"captured_mismatch": "pending processing succeeded failed"}),
    ("only a pending capture is claimed for sending", "capture", {"send": "processing succeeded failed"}),
    ("after the deadline a request cannot arrive, so not_found stays true until the capture is sent again", "capture",
     {"not_found": "succeeded failed"}),
    ("a capture with a receipt is final", "capture", {"already_known": "pending processing"}),
    ("a capture has one trade, and its authorization does not end before it", "capture",
     {"captured_unexpectedly": "processing succeeded"}),
]

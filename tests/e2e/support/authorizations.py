"""Expected results of the sandbox's scenarios about authorizations, and checks of held and captured amounts."""

import collections
import collections.abc
import dataclasses

from scenarios import AMOUNT, cases_of
from wait import until

OVER = {"captured", "released", "failed", "closed"}  # final states of an authorization
HALF = AMOUNT // 2


@dataclasses.dataclass(frozen=True)
class HoldRow:
    """A scenario, the requests of the merchant once the amount is held, and the expected end of its order."""

    scenario: str
    state: str = "succeeded"        # of the order
    ended: str = "captured"         # of the authorization
    reason: str = "captured"        # its `end_reason`; empty: none
    captures: tuple = ()            # requests: (amount or None, final)
    origin: str = "merchant"        # of the captures
    failed: int = 0                 # number of failed captures
    paid: int = 0                   # captured amount
    releases: bool = False          # the merchant releases the hold
    closes: bool = False            # the merchant closes the order, before anything is held
    # What the merchant waits for before the requests: a condition of the authorization, after a person acted in the
    # channel's console.
    awaits: collections.abc.Callable = None
    fields: dict = dataclasses.field(default_factory=dict)
    cases: tuple = ()
    reversals: int = 0
    webhooks: tuple = ()            # besides order.authorized and the final state of the order
    is_authorized: bool = True      # the order becomes `authorized`
    alipay: dict = dataclasses.field(default_factory=dict)  # what differs there
    timeout: float = 20.0

    def at(self, channel):
        """Returns the row as it is at the channel."""
        return dataclasses.replace(self, **self.alipay) if channel == "alipay" else self

    @property
    def name(self):
        how = [*(["closes"] if self.closes else []), *(["releases"] if self.releases else [])]
        amounts = "+".join(str(amount or "all") for amount, _ in self.captures)
        return "-".join([self.scenario, *([f"captures-{amounts}"] if amounts else []), *how])


ALL = (None, True)
CLOSED = {"state": "closed", "ended": "released", "paid": 0}
SUCCEEDED, RELEASED = "capture.succeeded", "authorization.released"
IN_TOTAL = {"cases": ("external_capture",)}  # a channel that reports a captured total, and not the number of the trade
ROWS = [
    HoldRow("authorizes", captures=(ALL,), paid=AMOUNT, webhooks=(SUCCEEDED,)),
    HoldRow("authorizes", captures=((HALF, False), ALL), paid=AMOUNT, webhooks=(SUCCEEDED,) * 2),
    HoldRow("authorizes", captures=((HALF, True),), paid=HALF, webhooks=(SUCCEEDED,)),
    HoldRow("authorizes", **CLOSED, reason="requested", releases=True, webhooks=(RELEASED,)),
    HoldRow("authorizes", captures=((HALF, False),), paid=HALF, reason="requested", releases=True,
            webhooks=(SUCCEEDED,)),
    HoldRow("authorizes_late", captures=(ALL,), paid=AMOUNT, webhooks=(SUCCEEDED,)),
    HoldRow("authorizes_on_close", **CLOSED, reason="late", closes=True, is_authorized=False, webhooks=(RELEASED,)),
    HoldRow("authorizes_after_close", "closed", "closed", "", closes=True, is_authorized=False, webhooks=(RELEASED,)),
    HoldRow("authorization_unknown", captures=(ALL,), paid=AMOUNT, webhooks=(SUCCEEDED,)),
    HoldRow("authorizes_less", captures=(ALL,), paid=HALF, webhooks=(SUCCEEDED,)),
    HoldRow("authorizes_more", captures=((AMOUNT, True),), paid=AMOUNT, webhooks=(SUCCEEDED,)),
    # Alipay does not tell why a hold ended, and this one ends before its time.
    HoldRow("lapses", **CLOSED, reason="expired", webhooks=(RELEASED,), alipay={"reason": "requested"}),
    HoldRow("capture_unknown", captures=(ALL,), paid=AMOUNT, webhooks=(SUCCEEDED,)),
    HoldRow("capture_lost", captures=(ALL,), paid=AMOUNT, webhooks=(SUCCEEDED,)),
    HoldRow("capture_not_now", captures=(ALL,), paid=AMOUNT, webhooks=(SUCCEEDED,), timeout=40.0),
    HoldRow("captured_by_channel", paid=AMOUNT, origin="channel", webhooks=(SUCCEEDED,), alipay=IN_TOTAL),
    HoldRow("capture_partially_elsewhere", paid=HALF, reason="requested", origin="channel", releases=True,
            awaits=lambda hold: hold["captured_amount"] > 0, webhooks=(SUCCEEDED,), alipay=IN_TOTAL),
    HoldRow("release_unknown", **CLOSED, reason="requested", releases=True, webhooks=(RELEASED,)),
    HoldRow("release_lost", **CLOSED, reason="requested", releases=True, webhooks=(RELEASED,)),
    HoldRow("release_refused_for_now", **CLOSED, reason="requested", releases=True, webhooks=(RELEASED,),
            timeout=40.0),
    HoldRow("released_by_channel", **CLOSED, reason="requested", webhooks=(RELEASED,)),
    HoldRow("capture_refused", **CLOSED, reason="requested", captures=(ALL,), failed=1, releases=True,
            webhooks=("capture.failed", RELEASED)),
    HoldRow("partly_released_by_channel", captures=(ALL,), paid=AMOUNT - HALF,
            awaits=lambda hold: hold["released_amount"] > 0, webhooks=(SUCCEEDED,)),
    HoldRow("declines", "failed", "failed", "", fields={"attempts": 1}, is_authorized=False,
            alipay={"ended": "closed"}),
    HoldRow("never_pays", "closed", "closed", "", closes=True, is_authorized=False),
    # Released in its currency; the amounts of the authorization, which are in that of the order, do not contain it.
    HoldRow("authorizes_in_other_currency", "failed", "failed", "", fields={"attempts": 1}, is_authorized=False,
            cases=("amount_mismatch",), webhooks=(RELEASED,)),
]


def manual_order(shop, scenario, channel="sandbox", amount=AMOUNT, **fields):
    """Creates an order with manual capture and starts its first authorization."""
    return shop.order_paid_by(channel, scenario, amount=amount, capture_method="manual", **fields)


def hold_of(shop, order):
    """Returns the newest authorization of the order."""
    return shop.api.order(order["id"])["authorizations"][-1]


def wait_until_held(shop, order, timeout=15.0):
    """Waits until the order is authorized, and returns its authorization."""
    shop.api.order_when(order["id"], lambda now: now["state"] == "authorized", "is authorized", timeout)
    return hold_of(shop, order)


def capture(shop, hold, amount=None, expect=201, **fields):
    body = {"merchant_capture_no": f"c-{hold['id']}-{amount}-{len(hold['captures'])}"} | fields
    if amount is not None:
        body["amount"] = amount
    return shop.api.post(f"/v1/authorizations/{hold['id']}/captures", body, expect=expect)


def capture_when_final(shop, made, timeout=20.0):
    def look():
        now = shop.api.get(f"/v1/captures/{made['id']}")
        return now if now["state"] in {"succeeded", "failed"} else None

    return until(look, f"{made['id']} is final", timeout)


def release(shop, hold, expect=200):
    return shop.api.post(f"/v1/authorizations/{hold['id']}/release", {}, expect=expect)


def wait_until_over(shop, order, timeout=20.0):
    """Waits until every authorization of the order is final, and the channel holds nothing for it. Returns the
    order."""

    def over():
        now = shop.api.order(order["id"])
        holds = [hold for each in now["authorizations"] for hold in shop.sandbox.holds_of(each)]
        is_over = all(each["state"] in OVER for each in now["authorizations"])
        return now if is_over and all(held_of(hold) == 0 for hold in holds) else None

    return until(over, f"nothing is held for {order['id']}", timeout)


def held_of(hold):
    """Returns the amount that the sandbox still holds."""
    return max(hold["authorized"] - hold["captured"] - hold["released"], 0) if hold["state"] == "held" else 0


def is_nothing_held(authorization, holds):
    """Returns whether nothing is held, and the amounts of the authorization equal those of its hold in the sandbox.
    `holds`: its holds in the sandbox; none if the channel has not received the request."""
    ours = [authorization[name] for name in ("authorized_amount", "captured_amount", "released_amount")]
    same = [hold for hold in holds if hold["currency"] == authorization["currency"]]  # another currency is not booked
    theirs = [sum(hold[name] for hold in same) for name in ("authorized", "captured", "released")]
    return ours == theirs and all(held_of(hold) == 0 for hold in holds)


def check_hold_money(shop, order, ledger=None):
    """Checks that the amounts of the order, its authorizations and captures equal the sandbox's ledger to the cent.
    `ledger`: (all holds, all trades) of the sandbox; None: they are read."""
    all_holds, all_trades = ledger or (shop.sandbox.all_authorizations(), shop.sandbox.all_trades())
    paid = 0
    for authorization in order["authorizations"]:
        captures = [one for one in authorization["captures"] if one["state"] == "succeeded"]
        captured = sum(one["amount"] for one in captures)
        assert authorization["captured_amount"] == captured, authorization
        key = authorization["channel"], authorization["out_trade_no"]
        numbers = {hold["auth_no"] for hold in all_holds if (hold["channel"], hold["out_order_no"]) == key}
        trades = [trade for trade in all_trades if trade.get("auth_no") in numbers]
        assert sum(trade["paid"] for trade in trades) == captured, (authorization, trades)
        refunded = sum(trade["refunded"] - trade["returned"] for trade in trades)
        assert refunded == sum(one["refunded_amount"] for one in captures), (authorization, trades)
        paid += captured
    assert order["paid_amount"] == paid, order
    assert (order["state"] == "succeeded") == (paid > 0), order


def check_hold_webhooks(shop, order, row):
    """Checks that each expected event has exactly one webhook delivery, and that no other delivery exists."""
    expected = collections.Counter(row.webhooks)
    expected.update({"order.authorized": int(row.is_authorized), f"order.{row.state}": 1,
                     "payment.reversed": row.reversals, "case.opened": len(row.cases)})

    def delivered():
        found = shop.api.all("/v1/webhook_deliveries", order=order["id"])
        types = collections.Counter(one["type"] for one in found)
        return found if types == +expected and all(one["state"] == "delivered" for one in found) else None

    deliveries = until(delivered, f"the webhooks of {order['id']} are {dict(+expected)}", row.timeout)
    for delivery in deliveries:
        shop.check_body(shop.received.delivery(delivery["id"]))


def check_cases(shop, order, row):
    until(lambda: len(cases_of(shop, order)) == len(row.cases), f"{row.name} has its cases", row.timeout)

"""Expected results of the sandbox's scenarios, and checks of amounts and notifications."""

import collections
import collections.abc
import dataclasses

from api import FINAL
from sandbox_client import net_paid
from wait import until

AMOUNT = 1999


@dataclasses.dataclass(frozen=True)
class Row:
    """A scenario with the request fields and the expected result of its order."""

    scenario: str
    state: str = "succeeded"
    fields: dict = dataclasses.field(default_factory=dict)
    closes: bool = False      # the merchant closes the order once the payment is pending
    reversals: int = 0        # number of reversals; each returns the whole amount
    cases: tuple = ()
    refunded: collections.abc.Callable = lambda _: 0  # amount that the channel refunds without a request
    # Returns the payer's net debit for an amount. Set if the order does not show it, because the remaining amount is in
    # the exception queue.
    net: collections.abc.Callable = None
    timeout: float = 15.0
    outage: str = None  # how far the test advances the clock, until the channel responds

    @property
    def name(self):
        how = [self.fields["close_policy"]] if "close_policy" in self.fields else []
        return "-".join([self.scenario, *how, *(["expires"] if "expires_in" in self.fields else [])])


ASK, LOCAL, ONE_ATTEMPT = {"close_policy": "ask"}, {"close_policy": "local"}, {"attempts": 1}
EXPIRES = {"expires_in": 2}
ROWS = [
    Row("pays_on_close", fields=ASK, closes=True),
    Row("pays_on_close", "closed", fields=LOCAL, closes=True, reversals=1),
    Row("pays_after_close", "closed", fields=ASK, closes=True, reversals=1),
    Row("pays_after_close", "closed", fields=LOCAL, closes=True, reversals=1),
    Row("pays_after_close", "closed", fields=ASK | EXPIRES, reversals=1),
    Row("pays_after_close", "closed", fields=LOCAL | EXPIRES, reversals=1),
    Row("pays_twice", reversals=1),
    Row("notification_lost"),
    Row("notification_before_reply"),
    Row("notification_doubled"),
    Row("notification_reordered"),
    Row("notification_forged"),
    Row("wrong_amount", "processing", fields=ONE_ATTEMPT, cases=("amount_mismatch",), net=lambda amount: amount - 1),
    Row("wrong_currency", "processing", fields=ONE_ATTEMPT, cases=("amount_mismatch",), net=lambda amount: amount),
    Row("refunded_by_channel", fields=ONE_ATTEMPT, cases=("external_refund",), refunded=lambda amount: amount),
    Row("console_refund_full", fields=ONE_ATTEMPT, cases=("external_refund",), refunded=lambda amount: amount),
    Row("console_refund_partial", fields=ONE_ATTEMPT, cases=("external_refund",), refunded=lambda amount: amount // 2),
    Row("console_refund_before_payment_known", fields=ONE_ATTEMPT, cases=("external_refund",), refunded=lambda amount: amount // 2),
    Row("success_then_failure", fields=ONE_ATTEMPT, cases=("conflicting_result",)),
    Row("failure_then_success", "failed", fields=ONE_ATTEMPT, reversals=1, cases=("paid_after_failure",)),
    Row("request_timeout_but_paid"),
    Row("slow"),
    Row("request_lost", timeout=30.0),
    Row("channel_down", timeout=30.0, outage="20s"),
]


def reversals_of(shop, order):
    return shop.api.all("/v1/refunds", order=order["id"], kind="reversal")


def webhooks_for_external(row):
    """Returns the expected webhook types for refunds that the channel made without a request."""
    return ["refund.external"] * bool(row.refunded(AMOUNT))


def cases_of(shop, order):
    """Returns the ids of the cases in the order's timeline."""
    return {item["object_id"] for item in shop.api.timeline(order["id"]) if item["kind"] == "case"}


def check_external(shop, order, row):
    """Checks that refunds which the channel made without a request are recorded as refunds of the order, without a
    merchant_refund_no."""
    external = [each for each in shop.api.all("/v1/refunds", order=order["id"], kind="refund")
                if each["origin"] == "channel"]
    assert sum(each["amount"] for each in external) == order["refunded_amount"] == row.refunded(order["amount"]), external
    assert all(each["state"] == "succeeded" and "merchant_refund_no" not in each and each["receipt"]
               for each in external)


def end_of(shop, order, row):
    """Waits until the order is final, or waits for operators, and has the reversals, refunds and cases that the row
    requires. Returns the order."""
    shop.api.order_when_at_rest(order["id"], row.timeout)
    shop.check_quiet(order)
    until(lambda: len(reversals_of(shop, order)) == row.reversals, f"{row.name} has its reversals", row.timeout)
    for reversal in reversals_of(shop, order):
        ended = shop.api.refund_when_final(reversal["id"])
        assert ended["state"] == "succeeded" and ended["amount"] == AMOUNT and "merchant_refund_no" not in ended
    until(lambda: len(cases_of(shop, order)) == len(row.cases), f"{row.name} has its cases", row.timeout)
    order = shop.api.order(order["id"])
    assert order["state"] == row.state, order
    check_external(shop, order, row)
    return order


def check_money(shop, order, net=None, trades_of=None):
    """Checks that the order's amounts equal the sandbox's ledger to the cent. `net(amount)` returns the payer's net
    debit for orders with an open case. `trades_of(payment)` returns the trades; by default it reads the sandbox's
    ledger."""
    trades_of = trades_of or shop.sandbox.trades_of
    paid = order["paid_amount"] - order["refunded_amount"]
    assert paid == (order["amount"] - order["refunded_amount"] if order["state"] == "succeeded" else 0), order
    upstream = accepted = 0
    for payment, receipts in shop.receipts_of(order):
        trades = trades_of(payment)
        real = {trade["trade_no"]: (trade["paid"], trade["currency"]) for trade in trades if trade["paid"]}
        assert real == {one["channel_trade_no"]: (one["amount"], one["currency"]) for one in receipts}
        assert [one["state"] for one in receipts].count("accepted") == int(payment["state"] == "succeeded")
        accepted += sum(one["amount"] for one in receipts if one["state"] == "accepted")
        upstream += sum(net_paid(trade) for trade in trades)
    assert order["paid_amount"] == accepted, order
    assert sum(payment["state"] == "succeeded" for payment in order["payments"]) == int(order["state"] == "succeeded")
    assert upstream == (paid if net is None else net(order["amount"])), order


def check_webhooks(shop, order, reversals=0, cases=(), refunds=(), timeout=15.0):
    """Waits until each expected event has a webhook delivery, and checks that no other delivery exists. An event can
    come after the state that the caller waited for: the result of a release follows the final state of its order."""
    expected = collections.Counter({f"order.{order['state']}": int(order["state"] in FINAL), "payment.reversed": reversals,
                                    "case.opened": len(cases)})
    expected.update(refunds)

    def delivered():
        found = shop.api.all("/v1/webhook_deliveries", order=order["id"])
        is_complete = len(found) >= expected.total() and all(each["state"] == "delivered" for each in found)
        return found if is_complete else None

    deliveries = until(delivered, f"{dict(+expected)} of {order['id']} are delivered", timeout)
    assert collections.Counter(each["type"] for each in deliveries) == +expected
    received = [shop.received.delivery(each["id"]) for each in deliveries]
    assert all(each is not None and each.path == shop.path and each.verified for each in received)
    for each in received:
        shop.check_body(each)
    opened = [each.json["data"] for each in received if each.json["type"] == "case.opened"]
    assert sorted(case["kind"] for case in opened) == sorted(cases)


def check_paid_twice(shop, order, payment, refund):
    """Checks a refund that the channel paid out twice: both payouts are booked, and the second payout has a case."""
    until(lambda: shop.api.order(order["id"])["refunded_amount"] == 2 * refund["amount"], "both payouts are booked")
    assert sum(trade["refunded"] for trade in shop.sandbox.trades_of(payment)) == 2 * refund["amount"]
    [external] = [each for each in shop.api.all("/v1/refunds", order=order["id"]) if each["origin"] == "channel"]
    assert external["state"] == "succeeded" and external["amount"] == refund["amount"]
    order = shop.api.order(order["id"])
    check_money(shop, order)
    check_webhooks(shop, order, cases=["refunded_twice"], refunds=["refund.succeeded", "refund.external"])

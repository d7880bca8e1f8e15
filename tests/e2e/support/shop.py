"""A merchant of the tests: API clients, received webhooks, and the checks that each of its orders must pass."""

import collections

from api import FINAL, Api
from sandbox_client import SandboxClient, net_paid
from wait import until

ENDED = FINAL | {"captured", "released"}  # final states of orders, payments, authorizations and captures


def sums_by_kind(api, order):
    """Returns {account kind: sum of the order's entries}, without sums of zero."""
    sums = collections.Counter()
    for item in api.timeline(order["id"]):
        if item["kind"] == "entry":
            sums[item["detail"]["account_kind"]] += item["detail"]["amount"]
    return {kind: amount for kind, amount in sums.items() if amount != 0}


class Shop:
    """A merchant with its API client, its operator's client, and its webhook receiver. Thread-safe."""

    def __init__(self, contract, api, sandbox_url, merchant_server, merchant_id, webhook_secret, admin_key):
        """`api` is a client with the merchant's key. The attribute `operator` is a client that acts for the merchant
        with `admin_key`."""
        self.id = merchant_id
        self.webhook_secret = webhook_secret
        self.api = api
        self.operator = api.as_operator(admin_key, merchant_id)
        self.sandbox = SandboxClient(sandbox_url)
        self.received = merchant_server
        self.path = f"/{merchant_id}/notified"
        self.notify_url = merchant_server.address(self.path, webhook_secret)
        self._contract = contract

    @staticmethod
    def of_demo(contract, server, merchant_server):
        demo = server.demo
        api = Api(contract, demo["base_url"], demo["secret_key"])
        return Shop(contract, api, demo["sandbox_url"], merchant_server, demo["merchant_id"], demo["webhook_secret"],
                    demo["operators"]["admin"])

    def order(self, expect=201, **fields):
        """Creates an order whose notify_url is the webhook receiver of this shop."""
        return self.api.create_order(expect=expect, notify_url=self.notify_url, **fields)

    def order_paid_by(self, channel, scenario, **fields):
        """Creates an order with a payment over this channel with this scenario."""
        return self.order(payment={"channel": channel, "scenario": scenario}, **fields)

    def wait_for_notification(self, order, timeout=15.0):
        """Waits for the first notification about the order and returns it. Checks its body against openapi.yaml."""
        delivery = self.received.wait_for(self.path, order["id"], timeout=timeout)[0]
        self._contract.check_value(delivery.json, "OrderNotification")
        return delivery

    def check_body(self, delivery):
        """Checks the body of the webhook against the schema of its type in openapi.yaml."""
        kind = delivery.json["type"].split(".")[0]
        schema = {"order": "OrderNotification", "authorization": "AuthorizationNotification",
                  "capture": "CaptureNotification", "case": "CaseNotification"}.get(kind, "RefundNotification")
        self._contract.check_value(delivery.json, schema)

    # Checks of the invariants of a final order.

    def check_end(self, order, state, closed_reason=None):
        """Waits until the order is final and has no open work, then checks its state, amounts, notification and events.
        Returns the order."""
        order = self.api.order_when_final(order["id"])
        assert order["state"] == state, order
        assert order.get("closed_reason") == closed_reason
        self.check_quiet(order)
        order = self.api.order(order["id"])
        self.check_money(order, self.sandbox.ledger())
        self.check_notification(order)
        self.check_timeline(order)
        self.check_events(order)
        return order

    def check_quiet(self, order):
        """Waits until every payment of the order is final in Finality, or under review, and final at the channel."""

        def quiet():
            now = self.api.order(order["id"])
            ledger = self.sandbox.ledger()
            trades = [ledger.get(payment["out_trade_no"]) for payment in now["payments"]]
            return (all(payment["state"] in (*FINAL, "under_review") for payment in now["payments"])
                    and all(trade is None or trade["state"] != "waiting" for trade in trades))

        until(quiet, f"every payment of {order['id']} is final")

    def receipts_of(self, order):
        """Returns a pair for each object that collects money for the order: the object and its receipts. The API does
        not show the receipt of a capture, which has the capture's trade number and amount."""
        payments = [(payment, self.api.payment(payment["id"])["receipts"]) for payment in order["payments"]]
        return payments + [(capture, [capture] if capture["state"] == "succeeded" else [])
                           for capture in captures_of(order)]

    @staticmethod
    def check_money(order, ledger):
        """Checks that the order's amounts equal the sandbox's ledger to the cent."""
        net = 0
        for payment in order["payments"]:
            trade = ledger.get(payment["out_trade_no"])
            upstream = 0 if trade is None else net_paid(trade)
            assert trade is None or trade["currency"] == payment["currency"]
            assert payment["paid_amount"] - payment["reversed_amount"] == upstream, (payment, trade)
            assert upstream == (payment["amount"] if payment["state"] == "succeeded" else 0), (payment, trade)
            net += upstream
        succeeded = order["state"] == "succeeded"
        assert net == (order["amount"] if succeeded else 0), order
        assert order["paid_amount"] - order["refunded_amount"] == net, order
        assert sum(payment["state"] == "succeeded" for payment in order["payments"]) == int(succeeded)

    def check_notification(self, order):
        """Checks that the merchant received one notification (several attempts have one id) with a valid signature, and
        that the delivery is recorded as delivered."""
        delivery = self.wait_for_notification(order)
        received = self.received.deliveries(self.path, order["id"])
        assert all(each.verified for each in received)
        assert {each.id for each in received} == {delivery.id}
        assert delivery.json["type"] == f"order.{order['state']}"
        assert delivery.json["data"]["state"] == order["state"]
        assert delivery.json["data"]["amount"] == order["amount"]

        def recorded():
            deliveries = self.api.all("/v1/webhook_deliveries", order=order["id"])
            assert [each["id"] for each in deliveries] == [delivery.id], deliveries
            return deliveries[0] if deliveries[0]["state"] == "delivered" else None

        record = until(recorded, f"the delivery of {order['id']} is recorded")
        assert record["attempts"] >= 1 and record["last_status"] == 200
        assert record["url"] == self.notify_url and record["order"] == order["id"]

    def check_timeline(self, order):
        timeline = self.api.timeline(order["id"])
        kinds = {item["kind"] for item in timeline}
        assert [item["at"] for item in timeline] == sorted(item["at"] for item in timeline)
        assert {"event", "delivery"} <= kinds, kinds
        if order["payments"] or order.get("authorizations"):
            assert "request" in kinds and kinds & {"response", "notification", "query"}, kinds
        assert ("entry" in kinds) == any(receipts for _, receipts in self.receipts_of(order)), kinds

    def check_events(self, order):
        for row in [order, *order["payments"], *order.get("authorizations", []), *captures_of(order)]:
            check_chain(self.api.all("/v1/events", object=row["id"]), row)


def captures_of(order):
    return [capture for authorization in order.get("authorizations", []) for capture in authorization["captures"]]


def check_chain(events, row):
    """Checks that the events form a chain without a gap from the creation of the object `row` to its state. `events`
    are newest first."""
    story = list(reversed(events))
    assert story, f"{row['id']} has no events"
    assert "from" not in story[0], story[0]
    for before, after in zip(story, story[1:]):
        assert after["from"] == before["to"], (before, after)
        assert after["to"] == after["from"] or after["cell"] == "move", after
        assert before["to"] not in ENDED or after["to"] == before["to"], (before, after)
    assert story[-1]["to"] == row["state"]
    assert {event["object_id"] for event in story} == {row["id"]}
    assert [event["id"] for event in story] == sorted({event["id"] for event in story})

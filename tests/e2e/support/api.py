"""Client of the HTTP API that checks every response against openapi.yaml."""

import re
import threading
import uuid

from contract import CheckedSession, Contract
from wait import until

FINAL = {"succeeded", "failed", "closed"}


def is_at_rest(order):
    """Returns whether the order is final, or a payment of it waits for the decision of operators."""
    return order["state"] in FINAL or any(one["state"] == "under_review" for one in order["payments"])


class Api:
    """API client with one key, which acts for one merchant. Thread-safe."""

    recorder = None  # shared by all instances while a history is recorded (history_recorder.py)

    def __init__(self, contract: Contract, base_url: str, key: str = None, merchant: str = None):
        self.contract = contract
        self.base_url = base_url
        self.headers = {}
        if key is not None:
            self.headers["Authorization"] = f"Bearer {key}"
        if merchant is not None:
            self.headers["Finality-Merchant"] = merchant
        self._local = threading.local()

    def as_operator(self, key, merchant):
        """Returns a client of the same server that acts for the merchant with an operator's key."""
        return Api(self.contract, self.base_url, key, merchant)

    @property
    def nodes(self):
        """API clients with the same key, one per node."""
        return [self]

    def request(self, method, path, *, headers=None, timeout=20, **arguments):
        session = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = CheckedSession(self.contract)
        headers = self.headers | (headers or {})

        def ask():
            return session.request(method, self.base_url + path, headers=headers, timeout=timeout,
                                   allow_redirects=False, **arguments)

        return ask() if self.recorder is None else self.recorder.record(method, path, headers, arguments, ask)

    def get(self, path, expect=200, **arguments):
        return self._expect(expect, self.request("GET", path, **arguments))

    def post(self, path, body=None, expect=200, **arguments):
        if body is not None:
            arguments["json"] = body
        return self._expect(expect, self.request("POST", path, **arguments))

    def put(self, path, body, expect=200, **arguments):
        return self._expect(expect, self.request("PUT", path, json=body, **arguments))

    def delete(self, path, expect=200, **arguments):
        return self._expect(expect, self.request("DELETE", path, **arguments))

    @staticmethod
    def _expect(expect, response):
        expected = expect if isinstance(expect, (tuple, set)) else (expect,)
        request = response.request
        assert response.status_code in expected, (
            f"{request.method} {request.path_url} returned {response.status_code}, not {expect}: {response.text}")
        return response.json()

    # Requests for orders and payments.

    def create_order(self, expect=201, **fields):
        return self.post("/v1/orders", order_body(**fields), expect=expect)

    def create_payment(self, order_id, expect=201, **fields):
        return self.post(f"/v1/orders/{order_id}/payments", {"channel": "sandbox"} | fields, expect=expect)

    def create_refund(self, payment_id, expect=201, **fields):
        body = {"payment": payment_id, "merchant_refund_no": f"e2e-{uuid.uuid4().hex}"}
        return self.post("/v1/refunds", body | fields, expect=expect)

    def order(self, order_id):
        return self.get(f"/v1/orders/{order_id}")

    def payment(self, payment_id):
        return self.get(f"/v1/payments/{payment_id}")

    def close(self, order_id, expect=200):
        return self.post(f"/v1/orders/{order_id}/close", expect=expect)

    def order_when(self, order_id, condition, what, timeout=15.0):
        """Waits until `condition(order)` is true and returns the order."""

        def look():
            order = self.order(order_id)
            return order if condition(order) else None

        return until(look, f"{order_id} {what}", timeout)

    def order_when_final(self, order_id, timeout=15.0):
        return self.order_when(order_id, lambda order: order["state"] in FINAL, "is final", timeout)

    def order_when_at_rest(self, order_id, timeout=15.0):
        """Waits until the order is final, or a payment of it waits for the decision of operators."""
        return self.order_when(order_id, is_at_rest, "is final or under review", timeout)

    def query(self, payment_id, timeout=15.0):
        """Queries the payment at its channel. Retries while the API refuses with 429 because of a recent query."""
        path = f"/v1/payments/{payment_id}/query"

        def ask():
            response = self.request("POST", path)
            return None if response.status_code == 429 else self._expect(200, response)

        return until(ask, f"{path} is accepted", timeout)

    def payment_when(self, payment_id, state, timeout=15.0):
        def look():
            payment = self.payment(payment_id)
            return payment if payment["state"] == state else None

        return until(look, f"{payment_id} is {state}", timeout)

    def refund_when_final(self, refund_id, timeout=15.0, meanwhile=None):
        def look():
            refund = self.get(f"/v1/refunds/{refund_id}")
            return refund if refund["state"] in FINAL else None

        return until(look, f"{refund_id} is final", timeout, meanwhile=meanwhile)

    def approve(self, path, body=None, expect=200):
        """Approves the proposal of the case or adjustment in the version that it has now. Returns the response."""
        reviewed = {"version": self.get(path)["version"]}
        return self.post(f"{path}/approve", reviewed | (body or {}), expect=expect)

    # Requests for lists.

    def all(self, path, **query):
        """Returns the objects of all pages of a list, in the order of the list."""
        found = []
        query.setdefault("limit", 100)
        while True:
            page = self.get(path, params=query)
            found += page["data"]
            if not page["has_more"]:
                return found
            query["starting_after"] = page["data"][-1]["id"]

    def timeline(self, order_id, limit=1000):
        """Returns all items of the order's timeline, read in pages of `limit` items."""
        return self.all(f"/v1/orders/{order_id}/timeline", limit=limit)

    def current_metrics(self):
        """Returns metrics that the server computed after this call. GET /metrics can return a text that is up to a
        second old."""
        known = _metrics_requests(self.request("GET", "/metrics").text)

        def newer():
            text = self.request("GET", "/metrics").text
            return text if _metrics_requests(text) > known else None

        return until(newer, "the metrics are computed again", timeout=5)


def _metrics_requests(text):
    """Returns the number of requests for metrics that the metrics count."""
    found = re.search(r'^finality_http_request_duration_seconds_count\{[^}]*route="/metrics"[^}]*\} (\S+)$', text, re.M)
    return float(found[1]) if found else 0


def order_body(**fields):
    """Returns the body of an order request with a unique merchant_order_no."""
    body = {"merchant_order_no": f"e2e-{uuid.uuid4().hex}", "amount": 1999, "currency": "CNY", "subject": "Two coffees"}
    return body | fields

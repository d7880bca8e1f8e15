"""HTTP server of a merchant that receives webhooks. Verifies their signatures (Standard Webhooks) with its own code."""

import base64
import collections
import dataclasses
import functools
import hashlib
import hmac
import http.server
import json
import sys
import threading
import time

TIMESTAMP_TOLERANCE_S = 300


@dataclasses.dataclass(frozen=True)
class Delivery:
    path: str
    id: str
    timestamp: str
    signatures: tuple
    body: bytes
    verified: bool  # the signature matches the path's secret, and the timestamp is recent
    status: int     # status of the response
    traceparent: str = None

    @functools.cached_property
    def json(self):
        return json.loads(self.body)

    @property
    def object_id(self):
        return self.json["data"]["id"]

    def signed_with(self, secret: str) -> bool:
        return signature_of(secret, self.id, self.timestamp, self.body) in self.signatures


@dataclasses.dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b"ok"
    wait: threading.Event = None  # if set, delays the response until the event occurs
    headers: tuple = ()           # pairs of name and value


def signature_of(secret: str, message_id: str, timestamp: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = b".".join([message_id.encode(), timestamp.encode(), body])
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Ignores connection errors, because tests kill the server that sends the webhooks."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class MerchantServer:
    """Receives webhooks on a free port of 127.0.0.1 and records them by path. Thread-safe."""

    def __init__(self):
        self._changed = threading.Condition()
        self._deliveries = []
        self._by_id = {}
        self._secrets = {}
        self._answers = collections.defaultdict(collections.deque)
        self._server = Listener(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def address(self, path: str, secret: str = None) -> str:
        """Returns the URL of `path`. Webhooks to this path are verified with `secret`, or with the secret that
        set_secret() sets later."""
        if secret is not None:
            self.set_secret(path, secret)
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def set_secret(self, path: str, secret: str):
        with self._changed:
            self._secrets[path] = secret

    def answer_next(self, path: str, *answers: Answer):
        """Sets the responses to the next requests to `path`. Later requests get 200."""
        with self._changed:
            self._answers[path].extend(answers)

    def deliveries(self, path: str = None, object_id: str = None):
        with self._changed:
            return self._matching(path, object_id)

    def delivery(self, webhook_id: str):
        """Returns the last received attempt with this webhook-id, or None."""
        with self._changed:
            return self._by_id.get(webhook_id)

    def wait_for(self, path: str = None, object_id: str = None, count: int = 1, timeout: float = 15.0):
        """Waits until at least `count` webhooks to the path about the object have arrived. Returns them oldest first.
        None matches every path or object."""
        with self._changed:
            arrived = self._changed.wait_for(lambda: len(self._matching(path, object_id)) >= count, timeout)
            found = self._matching(path, object_id)
        assert arrived, f"{path} received {len(found)} of {count} webhooks about {object_id} in {timeout} s: {found}"
        return found

    def unverified(self):
        return [delivery for delivery in self.deliveries() if not delivery.verified]

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _matching(self, path, object_id):
        return [delivery for delivery in self._deliveries
                if path in (None, delivery.path) and object_id in (None, delivery.object_id)]

    def _receive(self, path, headers, body):
        with self._changed:
            queue = self._answers[path]
            answer = queue.popleft() if queue else Answer()
            secret = self._secrets.get(path)
            delivery = Delivery(path, headers["webhook-id"], headers["webhook-timestamp"],
                                tuple(headers["webhook-signature"].split(" ")), body, False, answer.status,
                                headers["traceparent"])
            near = abs(time.time() - int(delivery.timestamp)) <= TIMESTAMP_TOLERANCE_S
            verified = near and secret is not None and delivery.signed_with(secret)
            delivery = dataclasses.replace(delivery, verified=verified)
            self._deliveries.append(delivery)
            self._by_id[delivery.id] = delivery
            self._changed.notify_all()
        if answer.wait is not None:
            answer.wait.wait(timeout=60)
        return answer

    def _handler(self):
        merchant = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answer = merchant._receive(self.path, self.headers, body)
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(answer.body)))
                for name, value in answer.headers:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_):
                pass

        return Handler

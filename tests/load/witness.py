"""A second merchant, whose requests are measured while another client attacks the server."""

import asyncio
import dataclasses
import json
import time
import uuid

import raw_http

SOURCE = "127.0.0.9"  # not the address of the attack: limits per address must not stop the witness
EVERY_S = 0.25        # between two requests of a kind; they do not wait for each other
GIVEN_UP_S = 10.0     # without a response
SLOW_S = 2.0          # a slower response is a failure


@dataclasses.dataclass
class Measured:
    """The durations of all successful requests of one kind, in seconds, and the reasons of the failed ones."""

    durations: list = dataclasses.field(default_factory=list)
    failures: list = dataclasses.field(default_factory=list)

    def percentile(self, share):
        ordered = sorted(self.durations)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else float("nan")

    def row(self, name):
        p50, p99, worst = (1000 * self.percentile(share) for share in (0.50, 0.99, 1.0))
        count = len(self.durations) + len(self.failures)
        return f"{name:8} {count:6} {p50:9.1f} {p99:9.1f} {worst:9.1f} {len(self.failures):7}"


class Witness:
    """Creates paid orders, reads them, opens their payer pages, receives their webhooks and asks for readiness."""

    def __init__(self, url, key):
        self._place = raw_http.place_of(url)
        self._key = key
        self._order = None        # the newest created order
        self._notified = {}       # order id: future of its webhook
        self._hooks = None        # URL of the webhook receiver
        self.measured = {name: Measured() for name in ["create", "read", "page", "webhook", "ready"]}

    def run(self, seconds):
        """Measures for `seconds`. Requests that are then outstanding are measured to their end."""
        asyncio.run(self._run(seconds))

    def report(self):
        head = f"{'':8} {'count':>6} {'p50 ms':>9} {'p99 ms':>9} {'worst ms':>9} {'failed':>7}"
        return "\n".join([head, *(measured.row(name) for name, measured in self.measured.items())])

    def problems(self):
        """Returns the failed requests and the slow ones, as texts."""
        return [f"{name}: {why}" for name, measured in self.measured.items()
                for why in [*measured.failures, *(f"{s:.1f} s" for s in measured.durations if s > SLOW_S)]]

    async def _run(self, seconds):
        receiver = await asyncio.start_server(self._receive, "127.0.0.1", 0)
        self._hooks = "http://localhost:{}/".format(receiver.sockets[0].getsockname()[1])
        await self._buy()
        end = time.monotonic() + seconds
        outstanding = []
        while time.monotonic() < end:
            steps = [self._buy(), self._measure("read", self._read()), self._measure("page", self._open_page()),
                     self._measure("ready", self._ask_readiness())]
            for step in steps:
                outstanding.append(asyncio.ensure_future(step))
                await asyncio.sleep(EVERY_S / len(steps))
        await asyncio.gather(*outstanding)
        receiver.close()

    async def _buy(self):
        order = await self._measure("create", self._create())
        if order:
            await self._measure("webhook", self._webhook_of(order["id"]))

    async def _measure(self, name, request):
        """Waits for the request and measures it. Returns its result, or None if it failed."""
        begin = time.monotonic()
        try:
            result = await asyncio.wait_for(request, GIVEN_UP_S)
        except asyncio.TimeoutError:
            self.measured[name].failures.append(f"no response in {GIVEN_UP_S} s")
        except (OSError, EOFError, AssertionError, asyncio.LimitOverrunError) as error:
            self.measured[name].failures.append(f"{type(error).__name__}: {error}")
        else:
            self.measured[name].durations.append(time.monotonic() - begin)
            return result
        return None

    async def _fetch(self, expect, method, path, key=None, body=None, headers=()):
        status, content = await raw_http.fetch(self._place, method, path, key, body, headers, SOURCE)
        assert status == expect, f"{method} {path} returned {status}: {content[:200]!r}"
        return content

    async def _create(self):
        body = {"merchant_order_no": uuid.uuid4().hex, "amount": 1999, "currency": "CNY", "subject": "tea",
                "notify_url": self._hooks, "payment": {"channel": "sandbox", "scenario": "pays"}}
        created = await self._fetch(201, "POST", "/v1/orders", self._key, body, [f"Idempotency-Key: {uuid.uuid4()}"])
        order = self._order = json.loads(created)
        return order

    async def _read(self):
        if self._order:
            await self._fetch(200, "GET", f"/v1/orders/{self._order['id']}", self._key)

    async def _open_page(self):
        if self._order:
            await self._fetch(200, "GET", "/checkout/" + self._order["checkout_url"].rpartition("/")[2])

    async def _ask_readiness(self):
        await self._fetch(200, "GET", "/readyz")

    def _webhook_of(self, order_id):
        """The webhook can arrive before the response to the request that created the order."""
        return self._notified.setdefault(order_id, asyncio.get_running_loop().create_future())

    async def _receive(self, reader, writer):
        """Receives one webhook. Closes the connection, so that the server resolves the name again for the next one."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.split("content-length:")[1].split("\r\n")[0])
            webhook = self._webhook_of(json.loads(await reader.readexactly(length))["data"]["id"])
            if not webhook.done():
                webhook.set_result(None)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            await writer.drain()
        except (OSError, EOFError):
            pass
        finally:
            writer.close()

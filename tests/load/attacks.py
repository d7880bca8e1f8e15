"""Clients that try to stop the server. Each attack runs in its own process, so that its work does not delay the
measurements: python3 attacks.py NAME SECONDS TARGET, where TARGET is the JSON of a Target. At the end it prints the
statuses that the server returned, as JSON.
"""

import asyncio
import collections
import dataclasses
import json
import os
import resource
import sys
import time
import uuid

import raw_http

PIPELINED = 100         # requests per write of a client that does not read
BODY_BYTES = 1 << 20    # the largest body that the server accepts
RECONNECT_S = 0.05      # pause before a connection that the server has closed is opened again
NICE = 10               # the attack must not take the processor from the measurements
WEBHOOKS = 60
ERRORS = (OSError, EOFError, asyncio.TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)


@dataclasses.dataclass
class Target:
    url: str
    key: str             # of the merchant that attacks
    order: str           # an order of this merchant with a long timeline
    checkout_path: str   # its payer page
    sources: tuple = ("127.0.0.7",)  # of the clients, in turn; not that of the channel
    lines_path: str = ""    # a page of the lines of a large statement
    upload_path: str = ""   # an upload of a statement
    operator_key: str = ""  # of the operator that uploads

    def with_statements(self, lines_path, upload_path, operator_key):
        return dataclasses.replace(self, lines_path=lines_path, upload_path=upload_path, operator_key=operator_key)


class Attack:
    """An attack in progress: its target, its end and the statuses of the responses."""

    def __init__(self, target, seconds):
        self.target = target
        self.place = raw_http.place_of(target.url)
        self.end = time.monotonic() + seconds
        self.statuses = collections.Counter()

    def left(self):
        return self.end - time.monotonic()

    def get(self, path, key=None):
        return raw_http.request(self.place, "GET", path, key)

    async def clients(self, count, client):
        """Runs `client(number)` concurrently `count` times until the end. A client whose connection breaks begins
        again."""

        async def run(number):
            while self.left() > 0:
                try:
                    await asyncio.wait_for(client(number), self.left())
                except ERRORS as error:
                    if self.left() > 0:
                        self.statuses[type(error).__name__] += 1
                        await asyncio.sleep(RECONNECT_S)

        await asyncio.gather(*(run(number) for number in range(count)))

    async def connect(self, number, **options):
        sources = self.target.sources
        return await raw_http.connect(self.place, sources[number % len(sources)], **options)

    async def send_without_reading(self, number, content):
        _, writer = await self.connect(number, receive_buffer=4096)
        try:
            writer.transport.pause_reading()
            while True:
                writer.write(content)
                await writer.drain()
        finally:
            writer.transport.abort()

    async def repeat(self, number, make):
        """Sends the request of `make()` again and again on one connection, and counts the statuses."""
        reader, writer = await self.connect(number)
        try:
            while True:
                writer.write(make())
                status, _ = await raw_http.read_response(reader)
                self.statuses[status] += 1
        finally:
            writer.transport.abort()

    def order_body(self, **fields):
        return {"merchant_order_no": uuid.uuid4().hex, "amount": 100, "currency": "CNY", "subject": "load"} | fields

    def new_order(self, **fields):
        return raw_http.request(self.place, "POST", "/v1/orders", self.target.key, self.order_body(**fields),
                                [f"Idempotency-Key: {uuid.uuid4()}"])


async def pipelined_with_key(attack):
    """Requests of pages of large orders, whose responses are not read."""
    content = attack.get("/v1/orders?limit=100", attack.target.key) * PIPELINED
    await attack.clients(8, lambda number: attack.send_without_reading(number, content))


async def pipelined_without_key(attack):
    """Requests of a large constant response, which is not read."""
    content = attack.get("/openapi.json") * PIPELINED
    await attack.clients(150, lambda number: attack.send_without_reading(number, content))


async def large_bodies(attack):
    head = raw_http.request(attack.place, "POST", "/v1/orders",
                            headers=["Content-Type: application/json", f"Content-Length: {BODY_BYTES}"])
    piece = b" " * (BODY_BYTES // 64)

    async def client(number):
        reader, writer = await attack.connect(number)
        try:
            writer.write(head)
            for _ in range(63):  # the last piece is never sent
                writer.write(piece)
                await writer.drain()
            status, _ = await raw_http.read_response(reader)
            attack.statuses[status] += 1
        finally:
            writer.transport.abort()

    await attack.clients(400, client)


async def abandoned(attack, content, pause_s):
    """Sends `content`, 40 requests, on 128 connections, which are closed before the responses. Begins again after a
    pause."""

    async def client(number):
        _, writer = await attack.connect(number)
        writer.write(content)
        await writer.drain()
        writer.close()
        await asyncio.sleep(pause_s)

    await attack.clients(128, client)


async def abandoned_timelines(attack):
    await abandoned(attack, attack.get(f"/v1/orders/{attack.target.order}/timeline", attack.target.key) * 40, 2)


async def expensive_pages(attack):
    """Metrics, and payer pages with an invalid signature."""
    token = attack.target.checkout_path
    wrong = token[:-1] + ("A" if token[-1] != "A" else "B")
    await abandoned(attack, (attack.get("/metrics") + attack.get(wrong)) * 20, 0.5)


async def unresolvable_webhooks(attack):
    """60 paid orders, each with a webhook to another host that no name server resolves."""
    for number in range(WEBHOOKS):
        order = attack.order_body(notify_url=f"https://shop{number}.load-test.example/hook",
                                  payment={"channel": "sandbox", "scenario": "pays"})
        status, _ = await raw_http.fetch(attack.place, "POST", "/v1/orders", attack.target.key, order,
                                         [f"Idempotency-Key: {uuid.uuid4()}"], attack.target.sources[0])
        attack.statuses[status] += 1
    await asyncio.sleep(max(attack.left(), 0))


async def hold_idle(attack, connections):
    """Connections that send nothing, opened again when the server closes them."""

    async def client(number):
        await asyncio.sleep(number / connections)  # not all at once, so that the listen queue does not overflow
        reader, writer = await attack.connect(number)
        try:
            await reader.read(1)
        finally:
            writer.transport.abort()
        attack.statuses["closed"] += 1
        await asyncio.sleep(1)

    await attack.clients(connections, client)


async def idle(attack):
    await hold_idle(attack, 4096)


async def slow(attack):
    """1,000 connections that send one byte of a request at a time, each byte a second after the last one."""
    content = attack.get("/v1/orders", attack.target.key)

    async def client(number):
        await asyncio.sleep(number / 1000)
        _, writer = await attack.connect(number)
        try:
            for byte in content:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(1)
        finally:
            writer.transport.abort()

    await attack.clients(1000, client)


async def flood(attack):
    """Half of the clients read, the other half write, as fast as the server responds."""

    def make_for(number):
        content = attack.get(f"/v1/orders/{attack.target.order}", attack.target.key)
        return attack.new_order if number % 2 else lambda: content

    await attack.clients(64, lambda number: attack.repeat(number, make_for(number)))


async def statement_lines(attack):
    """Pages of the lines of a large statement, as fast as the server responds."""
    content = attack.get(attack.target.lines_path, attack.target.key)
    await attack.clients(64, lambda number: attack.repeat(number, lambda: content))


async def idle_uploads(attack):
    """Uploads of the largest file of which only the head is sent, begun again when the server ends them."""
    head = raw_http.request(attack.place, "POST", attack.target.upload_path, attack.target.operator_key,
                            headers=["Expect: 100-continue", f"Content-Length: {64 << 20}"])

    async def client(number):
        reader, writer = await attack.connect(number)
        try:
            writer.write(head)
            status, _ = await raw_http.read_response(reader)
            attack.statuses[status] += 1
            if status == 100:
                status, _ = await raw_http.read_response(reader)
                attack.statuses[status] += 1
        finally:
            writer.transport.abort()
        await asyncio.sleep(RECONNECT_S)

    await attack.clients(16, client)


async def wrong_keys(attack):
    await attack.clients(64, lambda number: attack.repeat(
        number, lambda: attack.get("/v1/orders", f"sk_{uuid.uuid4().hex}")))


ATTACKS = {run.__name__: run for run in (
    pipelined_with_key, pipelined_without_key, large_bodies, abandoned_timelines, expensive_pages,
    unresolvable_webhooks, idle, slow, flood, statement_lines, idle_uploads, wrong_keys)}


def main(name, seconds, target):
    os.nice(NICE)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    attack = Attack(Target(**json.loads(target)), float(seconds))

    async def run():
        try:
            await asyncio.wait_for(ATTACKS[name](attack), attack.left() + 1)
        except ERRORS as error:
            attack.statuses[type(error).__name__] += 1  # the attack could not go on

    asyncio.run(run())
    print(json.dumps({str(status): count for status, count in attack.statuses.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])

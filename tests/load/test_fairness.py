"""One merchant reads the lines of a large file, and one operator key holds uploads open, while a second merchant and a
second operator key are served: their requests take at most SLOWER_MAX times as long as on a quiet server.

FINALITY_LOAD_SECONDS sets the duration of the measurement and of each attack.
"""

import asyncio
import dataclasses
import datetime
import os
import time
import uuid

import pytest

import raw_http
from api import Api
from attacks import ATTACKS
from load_server import LoadServer, attack, key_of
from wait import until
from witness import Measured, SOURCE

SECONDS = float(os.environ.get("FINALITY_LOAD_SECONDS", "20"))
EVERY_S = 0.05
SLOWER_MAX = 20      # p99 during an attack, as a multiple of the quiet p99
QUIET_LEAST_S = 0.02  # a shorter quiet p99 counts as this
LINES = 200_000
WITNESS_EVERY = 1000  # one line of the second merchant
DATE = (datetime.date.today() - datetime.timedelta(days=2)).isoformat()
STATEMENTS = """
[statements]
key_file = "{secret}"
[bank_accounts.deutsche]
currency = "EUR"
number = "DE02120300000000202051"
"""


def large_file(attacker, witness):
    """Returns a file with lines of two merchants. Its totals are wrong, so it is indexed but not compared."""
    lines = ["statement,version,channel,kind,date,time_zone", f"statement,1,sandbox,trades,{DATE},+08:00",
             "columns,type,time,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,discount,fee,status"]
    for number in range(LINES):
        merchant = (attacker if number % WITNESS_EVERY else witness).partition("_")[2]
        lines.append(f"line,payment,{DATE}T13:00:00+08:00,T{number},{merchant}{number:013},,,CNY,1.00,0,0,success")
    lines += ["totals_columns,currency,lines,payments,paid,refunds,refunded,fees", "totals,CNY,1,1,1.00,0,0,0"]
    return ("\n".join(lines) + "\n").encode()


@dataclasses.dataclass
class World:
    place: LoadServer
    lines: str   # path of the lines of the large file
    upload: str  # path of an upload
    keys: list   # of two operators

    def target(self):
        return self.place.target().with_statements(self.lines, self.upload, self.keys[0])


@pytest.fixture(scope="module")
def world(contract, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fairness")
    secret = folder / "statements.secret"
    secret.write_text("a secret of thirty-two characters")
    secret.chmod(0o600)
    with LoadServer(folder, contract, tables=STATEMENTS.format(secret=secret)) as place:
        admin = Api(contract, place.url, place.server.admin_key)
        accounts = {row["kind"]: row["id"] for row in admin.all("/v1/channel_accounts")}
        ids = [place.merchants[name] for name in ("attacker", "witness")]
        path = f"/v1/statements?channel_account={accounts['sandbox']}&kind=trades&date={DATE}"
        statement = admin.request("POST", path, data=large_file(*ids), timeout=60).json()
        until(lambda: admin.get(f"/v1/statements/{statement['id']}")["state"] == "rejected", "the file is read", 120)
        keys = [admin.post("/v1/api_keys", {"role": "operator", "name": name}, expect=201)["key"]
                for name in ("attacker", "finance")]
        yield World(place, f"/v1/statements/{statement['id']}/lines?limit=100",
                    f"/v1/statements?channel_account={accounts['bank']}&kind=bank&date={DATE}", keys)
        place.server.stop()
        place.server.verify()


async def measure(world, seconds):
    """Returns the durations of the requests of the second merchant and the second operator, by kind."""
    place = raw_http.place_of(world.place.url)
    key = key_of(world.place.witness)

    async def order():
        body = {"merchant_order_no": uuid.uuid4().hex, "amount": 100, "currency": "CNY", "subject": "load"}
        return await raw_http.fetch(place, "POST", "/v1/orders", key, body, [f"Idempotency-Key: {uuid.uuid4()}"],
                                    SOURCE)

    async def lines():
        return await raw_http.fetch(place, "GET", world.lines, key, source=SOURCE)

    async def upload():
        return await raw_http.fetch(place, "POST", world.upload, world.keys[1], "x" * (2 << 20), source=SOURCE)

    kinds = {"orders": (order, 201, 1), "lines": (lines, 200, 1), "uploads": (upload, 0, 20)}
    measured = {name: Measured() for name in kinds}
    end = time.monotonic() + seconds
    turn = 0
    while time.monotonic() < end:
        for name, (send, expected, turns) in kinds.items():
            if turn % turns:
                continue
            begin = time.monotonic()
            status, content = await send()
            measured[name].durations.append(time.monotonic() - begin)
            # The same file again is the statement that exists.
            if status != expected and not (expected == 0 and status in (200, 202)):
                measured[name].failures.append(f"{status}: {content[:200]!r}")
        turn += 1
        await asyncio.sleep(EVERY_S)
    return measured


@pytest.mark.parametrize("name, expected", [("statement_lines", {"200"}), ("idle_uploads", {"429"})])
def test_a_second_client_is_served_like_on_a_quiet_server(world, name, expected):
    assert name in ATTACKS
    quiet = asyncio.run(measure(world, SECONDS))
    with attack(name, SECONDS, world.target()) as statuses:
        busy = asyncio.run(measure(world, SECONDS))
    print(f"\n{name}: responses to the attacker {statuses[0]}")
    slower = {}
    for kind, measured in busy.items():
        assert measured.failures == [], kind
        before, now = (one[kind].percentile(0.99) for one in (quiet, busy))
        slower[kind] = now / max(before, QUIET_LEAST_S)
        print(f"{kind:8} p99 {1000 * before:7.1f} ms quiet, {1000 * now:7.1f} ms during the attack")
    assert expected <= statuses[0].keys()
    assert max(slower.values()) <= SLOWER_MAX, slower

"""Tests that advance the server's clock, so that expiries, retry schedules and retention periods of days end within
seconds.

`finality demo` always has a clock file; `finality serve` has one only with --clock.
"""

import datetime
import subprocess
import uuid

import pytest

from api import Api
from finality_server import BINARY, ConfiguredServer
from merchant_server import Answer
from merchant_fixtures import close_order, deliveries_after, new_merchant
from wait import until
from module_fixtures import receiver, shop  # noqa: F401

PAUSES = ["4m", "10m", "10m", "1h", "2h", "6h", "15h"]  # pauses between the attempts of a delivery


@pytest.fixture(scope="module")
def module_server(start_server):
    """A server without time scaling, because the tests advance its clock by hours and days."""
    server = start_server("clock")
    yield server
    server.stop()
    server.verify()


def clock(*arguments):
    return subprocess.run([BINARY, "clock", *map(str, arguments)], capture_output=True, text=True, timeout=10)


def shown(done):
    return datetime.datetime.fromisoformat(done.stdout.strip()).timestamp()


def test_an_order_expires_when_its_time_is_over(shop, module_server):
    order = shop.order_paid_by("sandbox", "manual", expires_in=86_400)
    assert shop.api.order(order["id"])["state"] == "pending"
    module_server.advance("25h")
    ended = shop.api.order_when_final(order["id"])
    assert (ended["state"], ended["closed_reason"]) == ("closed", "expired")
    shop.check_end(ended, "closed", "expired")


def test_a_payment_succeeds_after_the_clock_was_advanced(shop, module_server):
    module_server.advance("30d")
    order = shop.order_paid_by("sandbox", "pays")
    shop.check_end(order, "succeeded")


@pytest.mark.parametrize("channel, method", [("alipay", "qr"), ("wechatpay", "native")])
def test_channels_and_the_server_use_the_same_clock(shop, module_server, channel, method):
    """Server and channel check the timestamps of each other's signatures, and the channel closes expired trades by the
    same clock."""
    payment = {"channel": channel, "method": method}
    order = shop.order(payment=payment | {"scenario": "pays"})
    assert shop.api.order_when_final(order["id"])["state"] == "succeeded"
    late = shop.order(payment=payment | {"scenario": "manual"}, expires_in=7200)
    module_server.advance("3h")
    assert shop.api.order_when_final(late["id"])["closed_reason"] == "expired"


def test_a_schedule_of_a_day_is_completed(shop, module_server, receiver):
    path = f"/{shop.id}/never"
    made = shop.api.post("/v1/webhook_endpoints", {"url": receiver.address(path), "types": ["order.closed"]}, expect=201)
    receiver.set_secret(path, made["secret"])
    receiver.answer_next(path, *[Answer(500)] * (len(PAUSES) + 1))
    order = close_order(shop.api)
    for attempts, pause in enumerate(PAUSES, 1):
        [delivery] = deliveries_after(shop.api, order, attempts)
        assert (delivery["state"], delivery["attempts"]) == ("pending", attempts)
        module_server.advance(pause)
    [delivery] = deliveries_after(shop.api, order, len(PAUSES) + 1)
    assert (delivery["state"], delivery["attempts"]) == ("exhausted", len(PAUSES) + 1)
    shop.api.delete(f"/v1/webhook_endpoints/{made['id']}")


def test_a_payment_is_queried_again_after_a_pause(shop, module_server):
    [payment] = shop.order_paid_by("sandbox", "manual", expires_in=86_400)["payments"]

    def query(key):
        path = f"/v1/payments/{payment['id']}/query"
        return shop.api.request("POST", path, headers={"Idempotency-Key": key})

    def refused_query():
        """Queries with a new key. Returns the key and the 429 response, or None if the test ran so slowly that the
        query was allowed."""
        key = uuid.uuid4().hex
        response = query(key)
        return (key, response) if response.status_code == 429 else None

    first = uuid.uuid4().hex
    assert query(first).json()["state"] == "pending"
    key, refused = until(refused_query, "a query within the pause is refused")
    assert refused.json()["code"] == "rate_limited" and int(refused.headers["Retry-After"]) >= 1
    again = query(first)
    assert again.status_code == 200 and again.headers["Idempotent-Replayed"] == "true"
    module_server.advance("1m")
    later = query(key)  # the refusal was not stored for this key
    assert later.status_code == 200 and "Idempotent-Replayed" not in later.headers
    assert later.json()["state"] == "pending"


def test_an_idempotency_key_is_forgotten_after_a_day(shop, module_server):
    key = {"Idempotency-Key": uuid.uuid4().hex}
    body = {"merchant_order_no": uuid.uuid4().hex, "amount": 5, "currency": "CNY", "subject": "Tea"}
    shop.api.post("/v1/orders", body, expect=201, headers=key)
    other = body | {"merchant_order_no": uuid.uuid4().hex}
    module_server.advance("23h")
    assert shop.api.post("/v1/orders", other, expect=422, headers=key)["code"] == "idempotency_key_reused"
    module_server.advance("2h")
    assert shop.api.post("/v1/orders", other, expect=201, headers=key)["merchant_order_no"] == other["merchant_order_no"]


def test_the_clock_survives_a_restart(shop, module_server):
    before = shop.order()
    module_server.kill()
    module_server.advance("1d")
    module_server.start()
    after = shop.order()
    gap = datetime.datetime.fromisoformat(after["created_at"]) - datetime.datetime.fromisoformat(before["created_at"])
    assert datetime.timedelta(days=1) <= gap < datetime.timedelta(days=1, minutes=5)


def test_the_command_shows_the_servers_time(shop, module_server):
    done = clock("show", "--file", module_server.clock_file)
    assert done.returncode == 0 and abs(shown(done) - module_server.now()) < 5
    assert abs(datetime.datetime.fromisoformat(shop.order()["created_at"]).timestamp() - shown(done)) < 30


@pytest.mark.parametrize("duration", ["1", "d", "-1d", "0s", "1.5h", "yesterday", "3651d", ""])
def test_an_invalid_duration_does_not_advance_the_clock(module_server, duration):
    before = module_server.clock_file.read_bytes()
    done = clock("advance", "--file", module_server.clock_file, "--", duration)
    assert done.returncode != 0 and "expected a positive whole number and s, m, h or d" in done.stderr
    assert module_server.clock_file.read_bytes() == before


def test_a_clock_file_that_does_not_exist_is_not_created(tmp_path):
    done = clock("advance", "1d", "--file", tmp_path / "typo")
    assert done.returncode != 0 and "clock file not found" in done.stderr
    assert not (tmp_path / "typo").exists()


def test_another_file_is_refused_as_a_clock(tmp_path):
    file = tmp_path / "notes"
    file.write_text("buy tea")
    done = clock("advance", "1d", "--file", file)
    assert done.returncode != 0 and "is not a clock file" in done.stderr and file.read_text() == "buy tea"


def test_serve_has_a_movable_clock_only_with_the_option(tmp_path, contract):
    """With --clock the server also logs a warning, because a movable clock must not be used in production."""
    for wanted in [False, True]:
        server = ConfiguredServer(tmp_path / str(wanted), clock=wanted)
        try:
            server.start()
            assert server.clock_file.exists() == wanted
            assert ("movable clock in use, not for production" in server.log.read_text()) == wanted
            api = new_merchant(contract, server)
            order = api.create_order(expires_in=3600)
            if wanted:
                server.advance("2h")
                assert api.order_when_final(order["id"])["closed_reason"] == "expired"
            server.stop()
            server.verify()
        finally:
            server.clean_up()


def test_an_admins_key_does_not_expire(contract, module_server):
    module_server.advance("400d")
    admin = Api(contract, module_server.demo["base_url"], module_server.demo["operators"]["admin"])
    assert admin.post("/v1/merchants", {"name": "later"}, expect=201)["name"] == "later"

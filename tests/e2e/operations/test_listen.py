"""`finality listen` receives webhooks, verifies their signatures and prints them."""

import contextlib
import subprocess

import pytest
import requests

from api import Api, order_body
from finality_server import BINARY, free_ports
from wait import until


@pytest.fixture(scope="module")
def demo(start_server):
    server = start_server("listened", 100)
    yield server
    server.stop()


@contextlib.contextmanager
def listening(tmp_path, *options, **environment):
    """Runs `finality listen` until the block ends. Yields its URL and a function that returns its output."""
    [port] = free_ports(1)
    output = tmp_path / "output"
    with output.open("wb") as out:
        process = subprocess.Popen([BINARY, "listen", "--port", str(port), *options], stdout=out, stderr=out,
                                   env=environment or None)
    try:
        until(lambda: "Press Ctrl-C to stop." in output.read_text(), "it listens")
        yield f"http://127.0.0.1:{port}/", output.read_text
    finally:
        process.terminate()
        assert process.wait(10) == 0


def post(url, **headers):
    return requests.post(url, data=b'{"type":"order.succeeded"}', headers=headers, timeout=5, proxies={"http": None})


def test_a_webhook_is_verified_and_printed(demo, contract, tmp_path):
    with listening(tmp_path, "--demo", demo.data) as (url, output):
        api = Api(contract, demo.demo["base_url"], demo.demo["secret_key"])
        order = api.post("/v1/orders", order_body(notify_url=url, payment={"channel": "sandbox", "scenario": "pays"}),
                         expect=201)
        until(lambda: '"type": "order.succeeded"' in output(), "the webhook is printed")
        assert "signature valid, webhook-id msg_" in output() and order["id"] in output()
        delivered = until(lambda: api.get(f"/v1/webhook_deliveries?order={order['id']}")["data"], "there is a delivery")
        until(lambda: api.get(f"/v1/webhook_deliveries/{delivered[0]['id']}")["state"] == "delivered", "it is delivered")


def test_a_request_without_a_valid_signature_is_refused(demo, tmp_path):
    with listening(tmp_path, "--demo", demo.data) as (url, output):
        assert post(url).status_code == 401
        assert post(url, **{"webhook-id": "msg_1", "webhook-timestamp": "1", "webhook-signature": "v1,x"}).status_code == 401
        assert "NOT VERIFIED: header webhook-id is missing" in output()
        assert "NOT VERIFIED: webhook-timestamp 1970-01-01T00:00:01.000Z is more than five minutes" in output()


def test_the_output_has_no_character_that_a_terminal_executes(demo, tmp_path):
    with listening(tmp_path, "--demo", demo.data) as (url, output):
        body = "\x1b[31m \u009b31m \u202e \x7f".encode() + b"\xff"
        assert requests.post(url, data=body, timeout=5, proxies={"http": None}).status_code == 401
        assert requests.post(url, data=b'{"subject":"' + body[:-1].replace(b"\x1b", b"") + b'"}', timeout=5,
                             proxies={"http": None}).status_code == 401
        text = output()
    assert "\\u009b31m" in text and "\\u202e" in text
    assert not [char for char in text if char != "\n" and (ord(char) < 32 or 127 <= ord(char) < 160 or char == "\u202e")]


def test_a_secret_that_cannot_verify_is_refused_at_the_start(tmp_path):
    (tmp_path / "secret").write_text("whsec_!!!")
    done = subprocess.run([BINARY, "listen", "--port", "0", "--secret-file", tmp_path / "secret"], capture_output=True,
                          text=True, timeout=10)
    assert done.returncode == 1 and "whsec_" in done.stderr


def test_a_status_can_be_chosen_to_try_retries(demo, contract, tmp_path):
    with listening(tmp_path, "--demo", demo.data, "--status", "503") as (url, output):
        api = Api(contract, demo.demo["base_url"], demo.demo["secret_key"])
        order = api.post("/v1/orders", order_body(notify_url=url, payment={"channel": "sandbox", "scenario": "pays"}),
                         expect=201)
        until(lambda: output().count(order["id"]) and output().count("signature valid") >= 2, "it is retried")


def test_the_command_says_where_the_secret_can_come_from(tmp_path):
    done = subprocess.run([BINARY, "listen", "--demo", tmp_path], capture_output=True, text=True, timeout=10, env={})
    assert done.returncode == 1
    assert "no webhook secret: set FINALITY_WEBHOOK_SECRET or --secret-file, or start `finality demo`" in done.stderr

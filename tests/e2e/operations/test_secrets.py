"""Secrets and payer identifiers appear in no log line, event or case, even at log level debug and with invalid
input."""

import json
import os
import random
import uuid

import pytest
import requests

from api import Api, order_body
from conftest import FAST
from shop import Shop
from store_sql import ask, dump
from wait import until

AMOUNT = 1999
MARK = "c4n4ry" + uuid.uuid4().hex[:12]
OPENID = "o" + MARK
AUTH_CODE = "28" + "".join(random.choices("0123456789", k=16))
CLIENT_IP = "203.0.113.77"
KEY_LINES = 3  # lines searched per private key


@pytest.fixture(scope="module")
def module_server(start_server):
    """A server that logs at level debug, the most detailed level."""
    os.environ["SPDLOG_LEVEL"] = "debug"
    try:
        return start_server("secrets", FAST)
    finally:
        del os.environ["SPDLOG_LEVEL"]


@pytest.fixture(scope="module")
def shop(contract, module_server, merchant_server):
    return Shop.of_demo(contract, module_server, merchant_server)


def lines_of(pem):
    return [line for line in pem.splitlines() if line and not line.startswith("-----")][1:1 + KEY_LINES]


def secrets_of(server):
    """Returns {description: secret} of all values that must not appear in logs and events."""
    demo = server.demo
    found = {"the marker": MARK, "the payment code": AUTH_CODE, "the payer's address": CLIENT_IP,
             "the merchant's key": demo["secret_key"], "the webhook secret": demo["webhook_secret"],
             "the APIv3 key": demo["wechatpay"]["api_v3_key"],
             "the sandbox's secret": (server.data / "sandbox.secret").read_text(encoding="ascii").strip()}
    for role, key in demo["operators"].items():
        found[f"the key of the {role}"] = key
    for channel, name in [("alipay", "merchant_private_key"), ("wechatpay", "private_key")]:
        for number, line in enumerate(lines_of(demo[channel][name])):
            found[f"the private key for {channel}, line {number}"] = line
    return found


def pays(shop, channel, method, **payer):
    payment = {"channel": channel, "method": method, "scenario": "pays", "payer": payer}
    order = shop.order(amount=AMOUNT, payment=payment)
    shop.check_end(order, "succeeded")
    [payment] = order["payments"]
    refund = shop.api.create_refund(payment["id"], amount=500)
    assert shop.api.refund_when_final(refund["id"])["state"] == "succeeded"
    return order


def send_invalid_requests(contract, shop):
    """Sends requests that contain a secret in an invalid field. The server must refuse each."""
    base = shop.api.base_url
    assert Api(contract, base, "sk_test_" + MARK).request("GET", "/v1/orders").status_code == 401
    payers = [{"openid": MARK * 20}, {"auth_code": {"secret": MARK}}, {"client_ip": MARK},
              {"openid": MARK, "name": MARK}]
    for payer in payers:
        body = order_body(payment={"channel": "wechatpay", "method": "jsapi", "payer": payer})
        assert shop.api.request("POST", "/v1/orders", json=body).status_code == 400
    assert shop.api.request("POST", "/v1/orders", data=('{"openid":"' + MARK).encode()).status_code == 400


def send_forgeries(shop):
    """Sends notifications without a valid signature, with secrets in bodies and headers. The server must refuse
    each."""
    form = f"sign={MARK}&sign_type=RSA2&buyer_id={MARK}&buyer_logon_id={MARK}&notify_id=1&app_id=2021000000000001"
    resource = {"resource": {"ciphertext": MARK, "nonce": MARK[:12], "associated_data": "transaction"}, "id": "1"}
    signed = {"Wechatpay-Signature": MARK, "Wechatpay-Serial": MARK, "Wechatpay-Nonce": MARK,
              "Wechatpay-Timestamp": "1", "Authorization": f"Bearer {MARK}", "Sandbox-Signature": MARK,
              "Sandbox-Timestamp": "1"}
    for channel in ["alipay", "wechatpay", "sandbox"]:
        for body in [form.encode(), json.dumps(resource).encode(), json.dumps({"payer": {"openid": MARK}}).encode()]:
            response = requests.post(f"{shop.api.base_url}/notify/{channel}", data=body, headers=signed, timeout=10,
                                     proxies={"http": None})
            assert response.status_code == 401, response.text


def stored_texts(server):
    """Yields pairs (name, text): each log file, the details of all events, and the details of all cases."""
    for log in sorted(server.data.glob("*.log")):
        yield log.name, log.read_text(encoding="utf-8", errors="replace")
    yield "events", "\n".join(row[0] for row in ask(server.store, "SELECT detail FROM events"))
    yield "cases", "\n".join(row[0] for row in ask(server.store, "SELECT evidence FROM cases"))


@pytest.fixture(scope="module")
def orders(contract, module_server, shop):
    made = [pays(shop, "wechatpay", "jsapi", openid=OPENID), pays(shop, "alipay", "barcode", auth_code=AUTH_CODE),
            pays(shop, "wechatpay", "h5", client_ip=CLIENT_IP), pays(shop, "alipay", "qr"),
            pays(shop, "sandbox", "web")]
    unknown = shop.order(amount=AMOUNT, payment={"channel": "wechatpay", "method": "jsapi", "payer": {"openid": OPENID},
                                                 "scenario": "request_timeout_but_paid"})
    shop.api.order_when_final(unknown["id"])
    send_invalid_requests(contract, shop)
    send_forgeries(shop)
    return [*made, unknown]


def test_no_secret_is_logged_or_stored_in_an_event(module_server, shop, orders):
    payers = {trade["payer"] for order in orders for payment in order["payments"]
              for trade in shop.sandbox.trades_of(payment)}
    hidden = secrets_of(module_server) | {f"the payer {payer}": payer for payer in payers if len(payer) > 4}
    for where, text in stored_texts(module_server):
        for what, secret in hidden.items():
            if (what, where) != ("the merchant's key", "demo.log"):  # the demo prints a command with the key
                assert secret not in text, f"{what} appears in {where}"


def test_no_final_payment_keeps_data_of_its_payer(module_server, shop, orders):
    for order in orders:
        shop.api.order_when_final(order["id"])
    text = dump(module_server.store)
    assert orders[0]["merchant_order_no"] in text, "the dump contains the orders"
    for what, secret in {"openid": OPENID, "auth_code": AUTH_CODE, "client_ip": CLIENT_IP}.items():
        assert secret not in text, f"the store keeps the {what}"


def test_a_payment_code_is_erased_when_the_channel_has_accepted_it(module_server, shop):
    code = "27" + "".join(random.choices("0123456789", k=16))
    payment = {"channel": "alipay", "method": "barcode", "scenario": "manual", "payer": {"auth_code": code}}
    order = shop.order(amount=AMOUNT, payment=payment)
    shop.api.payment_when(order["payments"][0]["id"], "pending")
    assert code not in dump(module_server.store)
    shop.api.close(order["id"])
    shop.check_end(order, "closed", "cancelled")


def test_masked_requests_and_responses_are_stored(module_server, shop, orders):
    """The logs and events contain the masked requests and responses. Without them the search for secrets would be
    meaningless."""
    texts = dict(stored_texts(module_server))
    assert '"exchange":{"request"' in texts["events"] and '"***"' in texts["events"]
    until(lambda: "level=debug" in dict(stored_texts(module_server))["demo.log"], "the server logs at level debug")
    jsapi, barcode, h5 = (json.dumps(shop.api.timeline(order["id"])) for order in orders[:3])
    assert '"payer": "***"' in jsapi
    assert '"auth_code": "***"' in barcode
    assert '"payer_client_ip": "***"' in h5

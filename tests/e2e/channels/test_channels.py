"""Payment methods, refunds and key rotation of Alipay and WeChat Pay, from the order to the ledgers of server and
sandbox."""

import json
import os
import signal
import uuid

import pytest

from api import Api
from conftest import FAST
from finality_server import serving
from payers_page import WAYS, press
from sandbox_client import net_paid
from scenarios import check_money, check_webhooks
from shop import Shop
from wait import until

AMOUNT = 1999
CHANNELS = ["alipay", "wechatpay"]
KEPT_KEY = "public_key_private_key.pem"  # the server's configuration contains its id
PAYER = {"openid": "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o", "auth_code": "286512345678901234", "client_ip": "203.0.113.7"}


@pytest.fixture(scope="module")
def module_server(start_server):
    return start_server("channels", FAST)


@pytest.fixture(scope="module")
def shop(contract, module_server, merchant_server):
    return Shop.of_demo(contract, module_server, merchant_server)


def order_over(shop, channel, **payment):
    return shop.order(amount=AMOUNT, payment={"channel": channel} | payment)


def exchanges_of(shop, order):
    """Returns the exchanges with channels (request and response) in the order's timeline."""
    found = [item["detail"].get("exchange") for item in shop.api.timeline(order["id"])]
    return [exchange for exchange in found if exchange]


@pytest.mark.parametrize("channel, method", WAYS)
def test_a_person_pays(shop, channel, method):
    order = order_over(shop, channel, method=method, payer={"client_ip": PAYER["client_ip"]})
    [payment] = order["payments"]
    assert payment["state"] == "pending" and payment["method"] == method
    press(payment, "pay")
    shop.check_end(order, "succeeded")


@pytest.mark.parametrize("channel, method", [("alipay", "barcode"), ("wechatpay", "jsapi"), ("wechatpay", "app"),
                                             ("alipay", "app")])
def test_a_payer_pays_by_further_methods(shop, channel, method):
    order = order_over(shop, channel, method=method, payer=PAYER, scenario="pays")
    [payment] = order["payments"]
    if method == "barcode":
        assert payment["action"] == {"type": "none"}
    else:
        assert payment["action"]["type"] == "form" and payment["action"]["code"]
    if (channel, method) == ("alipay", "app"):  # the payer's app creates the trade, and the test has no app
        assert shop.api.payment_when(payment["id"], "pending")
        shop.api.close(order["id"])
        shop.check_end(order, "closed", "cancelled")
        return
    shop.check_end(order, "succeeded")


@pytest.mark.parametrize("channel, method, field", [
    ("alipay", "barcode", "auth_code"), ("wechatpay", "jsapi", "openid"), ("wechatpay", "h5", "client_ip")])
def test_the_methods_payer_fields_are_required(shop, channel, method, field):
    payment = {"channel": channel, "method": method, "payer": {name: PAYER[name] for name in PAYER if name != field}}
    problem = shop.order(expect=400, amount=AMOUNT, payment=payment)
    assert problem["code"] == "invalid_request" and problem["param"] == f"payment.payer.{field}"


@pytest.mark.parametrize("code", ["135112298638468293", "28", "28651234567890123x"])
def test_a_code_that_is_not_alipays_is_refused_before_anything_is_stored(shop, code):
    number = str(uuid.uuid4())
    payment = {"channel": "alipay", "method": "barcode", "payer": {"auth_code": code}}
    problem = shop.order(expect=400, merchant_order_no=number, amount=AMOUNT, payment=payment)
    assert problem["code"] == "invalid_request" and problem["param"] == "payment.payer.auth_code"
    assert "16 to 24 digits that begins with 25 to 30" in problem["detail"]
    assert shop.api.all("/v1/orders", merchant_order_no=number) == []


@pytest.mark.parametrize("channel", CHANNELS)
def test_the_timeline_contains_requests_and_responses(shop, channel):
    order = order_over(shop, channel, method={"alipay": "qr", "wechatpay": "native"}[channel], scenario="pays")
    shop.check_end(order, "succeeded")
    first, *_ = exchanges_of(shop, order)
    [payment] = order["payments"]
    assert first["request"]["method"] == "POST" and first["response"]["status"] == 200
    assert payment["out_trade_no"] in json.dumps(first["request"]["body"])
    assert all(len(json.dumps(exchange)) < 4096 for exchange in exchanges_of(shop, order))


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("parts", [[AMOUNT], [700, 299]])
def test_refunds(shop, channel, parts):
    order = order_over(shop, channel, method={"alipay": "qr", "wechatpay": "native"}[channel], scenario="pays")
    order = shop.api.order_when_final(order["id"])
    [payment] = order["payments"]
    refunds = [shop.api.create_refund(payment["id"], amount=part) for part in parts]
    refunds = [shop.api.refund_when_final(refund["id"]) for refund in refunds]
    assert [refund["state"] for refund in refunds] == ["succeeded"] * len(parts)
    order = shop.api.order(order["id"])
    assert order["refunded_amount"] == sum(parts)
    [trade] = shop.sandbox.trades_of(payment)
    assert trade["refunded"] == sum(parts) and net_paid(trade) == AMOUNT - sum(parts)
    check_money(shop, order)
    check_webhooks(shop, order, refunds=["refund.succeeded"] * len(parts))
    if channel == "wechatpay":  # a notification or a query reports the result
        assert {item["kind"] for item in shop.api.timeline(order["id"])} & {"notification", "query"}


def test_a_forged_notification_of_either_channel_changes_nothing(shop):
    for channel in CHANNELS:
        response = shop.api.request("POST", f"/notify/{channel}", data=b"trade_status=TRADE_SUCCESS&sign=x",
                                    headers={"Content-Type": "application/x-www-form-urlencoded"})
        assert response.status_code == 401 and response.content not in (b"success", b"")


# Tests of key rotation.


@pytest.fixture(scope="module")
def rotating(contract, start_server, merchant_server):
    server = start_server("rotating", FAST, own_keys=True)
    return server, Shop.of_demo(contract, server, merchant_server)


def log_of(server):
    return server.log.read_text(encoding="utf-8")


def pays_over_both(shop):
    for channel, method in [("alipay", "qr"), ("wechatpay", "native")]:
        order = order_over(shop, channel, method=method, scenario="pays")
        shop.check_end(order, "succeeded")


def test_new_keys_of_both_sides_are_used_without_a_restart(rotating):
    server, shop = rotating
    pays_over_both(shop)
    server.kill_sandbox()
    for file in [file for channel in CHANNELS for file in (server.data / channel).rglob("*") if file.is_file()]:
        if file.name != KEPT_KEY:
            file.unlink()
    server.start_sandbox()  # the sandbox generates the missing keys at its start
    for channel in CHANNELS:
        until(lambda: f'msg="channel keys reloaded" channel={channel}\n' in log_of(server),
              f"the server has read {channel}'s new keys", 30.0)
    pays_over_both(shop)


def test_keys_that_cannot_be_used_change_nothing(rotating):
    server, shop = rotating
    file = server.data / "alipay/merchant/alipay_public_key.pem"
    good = file.read_bytes()
    broken = file.with_suffix(".new")
    broken.write_text("no key", encoding="ascii")
    broken.rename(file)
    until(lambda: 'msg="channel keys not reloaded; the previous keys stay in use" channel=alipay ' in log_of(server), "the error is logged", 30.0)
    pays_over_both(shop)
    broken.write_bytes(good)
    broken.rename(file)


# Tests of `finality serve` with configured channels.

SETTINGS = """
[channels.alipay]
kind = "alipay"
sandbox = true
url = "{sandbox}/gateway.do"
app_id = "{app_id}"
seller_id = "{seller_id}"
private_key_file = "{keys}/alipay/merchant/app_private_key.pem"
app_certificate_file = "{keys}/alipay/merchant/app_certificate.pem"
alipay_certificates_file = "{keys}/alipay/merchant/alipay_certificate.pem"
root_certificates_file = "{keys}/alipay/merchant/alipay_root_certificate.pem"
[channels.wechatpay]
kind = "wechatpay"
sandbox = true
url = "{sandbox}"
mchid = "{mchid}"
appid = "{appid}"
private_key_file = "{keys}/wechatpay/merchant/private_key.pem"
certificate_file = "{keys}/wechatpay/merchant/certificate.pem"
api_v3_key_file = "{keys}/wechatpay/merchant/api_v3_key"
platform_certificates_file = "{keys}/wechatpay/merchant/platform_certificate.pem"
fetch_certificates = true
"""


def test_certificates_on_both_sides_and_a_reload_of_the_keys(contract, rotating, tmp_path):
    upstream, _ = rotating
    demo = upstream.demo
    settings = SETTINGS.format(sandbox=demo["sandbox_url"], keys=upstream.data, app_id=demo["alipay"]["app_id"],
                               seller_id=demo["alipay"]["seller_id"], mchid=demo["wechatpay"]["mchid"],
                               appid=demo["wechatpay"]["appid"])
    with serving(tmp_path / "configured", settings) as server:
        admin = Api(contract, server.base_url, server.admin_key)
        merchant = admin.post("/v1/merchants", {"name": "certificates"}, expect=201)
        key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
        api = Api(contract, server.base_url, key["key"])
        for round_of_keys in range(2):
            for channel, method in [("alipay", "qr"), ("wechatpay", "native")]:
                payment = {"channel": channel, "method": method, "scenario": "pays"}
                order = api.create_order(amount=AMOUNT, payment=payment)
                assert api.order_when_final(order["id"])["state"] == "succeeded", channel
            os.kill(server.process_id, signal.SIGHUP)
            until(lambda: log_of(server).count("channel keys reloaded") == 2 * (round_of_keys + 1), "the keys have been read")

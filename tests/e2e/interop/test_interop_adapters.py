"""Interoperability: third-party SDKs verify the signatures of Finality's channel adapters and webhooks, and reject
modified content."""

import base64
import dataclasses
import json
import re
import urllib.parse

import pytest

from api import Api
from recording_proxy import RecordingProxy, parameters
from finality_server import serving
from shop import Shop
from interop_sdks import Refused
from interop_site import installed, module_server, AMOUNT, SUBJECT, sdk_process  # noqa: F401

SETTINGS = """
time_scale = 100
[channels.alipay]
kind = "alipay"
sandbox = true
url = "{way}/gateway.do"
app_id = "{app_id}"
seller_id = "{seller_id}"
private_key_file = "{keys}/alipay/merchant/app_private_key.pem"
alipay_public_key_file = "{keys}/alipay/merchant/alipay_public_key.pem"
[channels.wechatpay]
kind = "wechatpay"
sandbox = true
url = "{way}"
mchid = "{mchid}"
appid = "{appid}"
private_key_file = "{keys}/wechatpay/merchant/private_key.pem"
certificate_file = "{keys}/wechatpay/merchant/certificate.pem"
api_v3_key_file = "{keys}/wechatpay/merchant/api_v3_key"
platform_certificates_file = "{keys}/wechatpay/merchant/platform_certificate.pem"
fetch_certificates = true
"""
# The same Alipay account in certificate mode. It needs a second server: a server accepts each account only once.
CERTIFICATES = """
time_scale = 100
[channels.alipay_certificates]
kind = "alipay"
sandbox = true
url = "{way}/gateway.do"
app_id = "{app_id}"
seller_id = "{seller_id}"
private_key_file = "{keys}/alipay/merchant/app_private_key.pem"
app_certificate_file = "{keys}/alipay/merchant/app_certificate.pem"
alipay_certificates_file = "{keys}/alipay/merchant/alipay_certificate.pem"
root_certificates_file = "{keys}/alipay/merchant/alipay_root_certificate.pem"
"""
SERVERS = [(SETTINGS, [("alipay", "qr"), ("alipay", "barcode"), ("wechatpay", "native"), ("wechatpay", "jsapi"),
                     ("wechatpay", "app"), ("wechatpay", "h5")]),
         (CERTIFICATES, [("alipay_certificates", "qr")])]
PAYER = {"openid": "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o", "auth_code": "286512345678901234", "client_ip": "203.0.113.7"}


# Tests of requests that the channel adapters sign.


@dataclasses.dataclass(frozen=True)
class Traffic:
    """Captured requests of the servers to the channels, and the payment actions by channel and method."""

    captured: list
    actions: dict

    def to(self, prefix):
        return [one for one in self.captured if one.target.startswith(prefix)]


@pytest.fixture(scope="module")
def traffic(contract, module_server, tmp_path_factory):
    """Runs servers that create orders with every channel and payment method, of which some are refunded or closed."""
    demo = module_server.demo
    way = RecordingProxy(demo["sandbox_url"])
    actions = {}
    try:
        for settings, methods in SERVERS:
            filled = settings.format(way=way.url, keys=module_server.keys, app_id=demo["alipay"]["app_id"],
                                     seller_id=demo["alipay"]["seller_id"], mchid=demo["wechatpay"]["mchid"],
                                     appid=demo["wechatpay"]["appid"])
            with serving(tmp_path_factory.mktemp("adapters"), filled) as server:
                api = api_of_new_merchant(contract, server)
                actions |= {pair: run_orders(api, *pair) for pair in methods}
                alipay = methods[0][0]
                for method in ("page", "wap", "app"):
                    actions[alipay, method] = action_of(create(api, alipay, method, "manual"))
        yield Traffic(way.captured(), actions)
    finally:
        way.stop()


def api_of_new_merchant(contract, server):
    admin = Api(contract, server.base_url, server.admin_key)
    merchant = admin.post("/v1/merchants", {"name": "interop"}, expect=201)
    key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
    return Api(contract, server.base_url, key["key"])


def create(api, channel, method, scenario):
    return api.create_order(amount=AMOUNT, subject=SUBJECT, payment={"channel": channel, "method": method,
                                                                     "payer": PAYER, "scenario": scenario})


def action_of(order):
    [payment] = order["payments"]
    return payment["action"]


def run_orders(api, channel, method):
    """Creates two orders: one is paid and refunded in part, with the first refund response lost; the other is closed.
    Returns the payment action of the closed order."""
    paid = create(api, channel, method, "refund_unknown")
    waits = create(api, channel, method, "never_pays")
    paid = api.order_when_final(paid["id"])
    assert paid["state"] == "succeeded", paid
    refund = api.create_refund(paid["payments"][0]["id"], amount=500)
    assert api.refund_when_final(refund["id"])["state"] == "succeeded"
    api.close(waits["id"])
    assert api.order_when_final(waits["id"])["state"] == "closed"
    return action_of(waits)


@pytest.fixture(scope="module")
def alipay_verifier(module_server):
    """The Alipay SDK with the merchant's certificate in place of Alipay's, so that it verifies signatures of the
    merchant."""
    known = module_server.demo["alipay"]
    with sdk_process("alipay.js", {
            "appId": known["app_id"], "privateKey": known["merchant_private_key"],
            "gateway": "http://127.0.0.1/gateway.do", "appCertContent": known["app_certificate"],
            "alipayPublicCertContent": known["app_certificate"],
            "alipayRootCertContent": known["alipay_root_certificate"]}) as sdk:
        yield sdk


def check_signed_for_alipay(sdk, signed):
    assert sdk.ask("notification", params=signed) is True, signed
    assert sdk.ask("notification", params=signed | {"biz_content": signed["biz_content"] + " "}) is False


def test_alipays_sdk_verifies_our_adapters_requests(traffic, alipay_verifier):
    sent = [one.query | one.form for one in traffic.to("/gateway.do")]
    assert {one["method"].removeprefix("alipay.trade.") for one in sent} >= {
        "precreate", "pay", "query", "close", "refund", "fastpay.refund.query"}
    assert {"app_cert_sn" in one for one in sent} == {True, False}
    for one in sent:
        check_signed_for_alipay(alipay_verifier, one)


@pytest.mark.parametrize("channel", ["alipay", "alipay_certificates"])
@pytest.mark.parametrize("method", ["page", "wap", "app"])
def test_alipays_sdk_verifies_our_payers_requests(traffic, alipay_verifier, channel, method):
    action = traffic.actions[channel, method]
    signed = parameters(action["code"] if method == "app" else urllib.parse.urlsplit(action["url"]).query)
    assert signed["method"] == f"alipay.trade.{method}.pay"
    check_signed_for_alipay(alipay_verifier, signed)


def test_our_adapter_and_alipays_sdk_compute_the_same_certificate_numbers(traffic, alipay_verifier):
    theirs = parameters(urllib.parse.urlsplit(alipay_verifier.ask(
        "page", method="alipay.trade.page.pay", params={"bizContent": {}})).query)
    ours = parameters(urllib.parse.urlsplit(traffic.actions["alipay_certificates", "page"]["url"]).query)
    for name in ("app_cert_sn", "alipay_root_cert_sn"):
        assert ours[name] == theirs[name]


@pytest.fixture(scope="module")
def wechatpay_verifier(module_server):
    """Yields a function that calls the WeChat Pay SDK with the merchant's certificate as key, to verify signatures of
    the merchant."""
    certificate = (module_server.keys / "wechatpay/merchant/certificate.pem").read_text(encoding="ascii")
    with sdk_process("wechatpay.js") as sdk:
        yield lambda what, **arguments: sdk.ask(what, key=certificate, **arguments)


def authorization_of(captured):
    scheme, rest = captured.headers["Authorization"].split(" ", 1)
    assert scheme == "WECHATPAY2-SHA256-RSA2048"
    return dict(re.fullmatch(r'(\w+)="([^"]*)"', part).groups() for part in rest.split(","))


def test_wechats_sdk_verifies_our_adapters_requests(traffic, wechatpay_verifier, module_server):
    sent = traffic.to("/v3/")
    paths = [f"{one.method} {urllib.parse.urlsplit(one.target).path}" for one in sent]
    for pattern in [r"POST /v3/pay/transactions/(native|jsapi|app|h5)", r"GET /v3/pay/transactions/out-trade-no/\w+",
                    r"POST /v3/pay/transactions/out-trade-no/\w+/close", r"POST /v3/refund/domestic/refunds",
                    r"GET /v3/refund/domestic/refunds/\w+", "GET /v3/certificates"]:
        assert any(re.fullmatch(pattern, path) for path in paths), pattern
    known = module_server.demo["wechatpay"]
    for one in sent:
        authorization = authorization_of(one)
        assert (authorization["mchid"], authorization["serial_no"].upper()) == (known["mchid"], known["serial"].upper())
        request = {"method": one.method, "target": one.target, "timestamp": authorization["timestamp"],
                   "nonce": authorization["nonce_str"], "body": one.body.decode("utf-8"),
                   "signature": authorization["signature"]}
        assert wechatpay_verifier("request", **request) is True, request
        assert wechatpay_verifier("request", **request | {"target": one.target + "x"}) is False


@pytest.mark.parametrize("method, names", [("jsapi", ["appId", "timeStamp", "nonceStr", "package"]),
                                           ("app", ["appid", "timestamp", "noncestr", "prepayid"])])
def test_wechats_sdk_verifies_our_payers_app_parameters(traffic, wechatpay_verifier, method, names):
    given = json.loads(traffic.actions["wechatpay", method]["code"])
    lines = [given[name] for name in names]
    signature = given["paySign" if method == "jsapi" else "sign"]
    assert wechatpay_verifier("lines", lines=lines, signature=signature) is True
    assert wechatpay_verifier("lines", lines=[*lines[:3], lines[3] + "x"], signature=signature) is False


# Tests of webhooks to merchants.


def test_standardwebhooks_accepts_only_genuine_webhooks(contract, module_server, merchant_server):
    shop = Shop.of_demo(contract, module_server, merchant_server)
    order = shop.order(amount=AMOUNT, subject=SUBJECT, payment={"channel": "sandbox", "scenario": "pays"})
    delivery = shop.wait_for_notification(order)
    payload = delivery.body.decode("utf-8")
    headers = {"webhook-id": delivery.id, "webhook-timestamp": delivery.timestamp,
               "webhook-signature": " ".join(delivery.signatures)}
    with sdk_process("webhook.js") as sdk:
        assert sdk.ask("verify", secret=shop.webhook_secret, payload=payload, headers=headers) == delivery.json
        genuine = {"secret": shop.webhook_secret, "payload": payload, "headers": headers}
        other_secret = "whsec_" + base64.b64encode(b"another secret of 32 bytes......").decode()
        for changed in ({"payload": payload.replace(str(AMOUNT), str(AMOUNT + 1))}, {"secret": other_secret},
                        {"headers": headers | {"webhook-id": "msg_another"}},
                        {"headers": headers | {"webhook-timestamp": str(int(delivery.timestamp) - 1)}},
                        {"headers": headers | {"webhook-timestamp": "1600000000"}}):
            with pytest.raises(Refused) as thrown:
                sdk.ask("verify", **(genuine | changed))
            assert thrown.value.name == "WebhookVerificationError"

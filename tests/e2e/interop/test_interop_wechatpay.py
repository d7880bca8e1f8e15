"""Interoperability: a third-party SDK accepts the sandbox as WeChat Pay's gateway, and rejects responses that were
modified in transit."""

import base64
import dataclasses
import gzip
import json
import time
import urllib.parse

import pytest

from recording_proxy import parameters
from payers_page import press
from interop_sdks import Refused
from interop_site import (capture, installed, module_server, sandbox, way,  # noqa: F401
                             AMOUNT, MODES, SUBJECT, YUAN, altered, check_one_of_four_is_accepted, code_at, fresh,
                             other_signature, replaced, sdk_process, today)
from wait import until

TOLERANCE_S = 300


def split_keys(known):
    """Returns WeChat Pay's public key and platform certificate, each as a pair (id, PEM)."""
    keys = known["platform_keys"].items()
    [public] = [pair for pair in keys if pair[0].startswith("PUB_KEY_ID_")]
    [certificate] = [pair for pair in keys if not pair[0].startswith("PUB_KEY_ID_")]
    return public, certificate


def wechatpay_config(module_server, way, mode):
    known = module_server.demo["wechatpay"]
    public, certificate = split_keys(known)
    number, pem = public if mode == "public key" else certificate
    asks_for = {"headers": {"Wechatpay-Serial": number}} if mode == "public key" else {}
    return {"baseURL": way.url + "/", "mchid": known["mchid"], "serial": known["serial"], "timeout": 20000,
            "privateKey": known["private_key"], "certs": {number: pem}} | asks_for


class Wechatpay:
    """Client that uses the SDK as a merchant. The SDK verifies every response with a status below 300. Notifications go
    to `capture`."""

    def __init__(self, sdk, known, keys, capture):
        self.sdk = sdk
        self.known = known
        self.keys = keys  # WeChat Pay's keys that this merchant trusts, by serial number
        self._notify_url = capture.url + "/wechatpay"

    def call(self, method, *chain, data=None, expect=200, **config):
        reply = self.sdk.ask("call", chain=chain, method=method, data=data, config=config)
        assert reply["status"] == expect, reply
        return reply.get("data") if "bytes" not in reply else base64.b64decode(reply["bytes"])

    def native(self, number, **fields):
        order = {"appid": self.known["appid"], "mchid": self.known["mchid"], "description": SUBJECT,
                 "out_trade_no": number, "notify_url": self._notify_url, "amount": {"total": AMOUNT}}
        return self.call("post", "pay", "transactions", "native", data=order | fields)["code_url"]

    def query(self, number, expect=200):
        return self.call("get", "pay", "transactions", "outTradeNo", "{out_trade_no}", expect=expect,
                         params={"mchid": self.known["mchid"]}, out_trade_no=number)

    def close(self, number, expect=204):
        return self.call("post", "pay", "transactions", "outTradeNo", "{out_trade_no}", "close", expect=expect,
                         data={"mchid": self.known["mchid"]}, out_trade_no=number)

    def refund(self, number, refund_number, amount):
        return self.call("post", "refund", "domestic", "refunds",
                         data={"out_trade_no": number, "out_refund_no": refund_number, "notify_url": self._notify_url,
                               "amount": {"refund": amount, "total": AMOUNT, "currency": "CNY"}})

    def refund_when_settled(self, refund_number):
        def settled():
            refund = self.call("get", "refund", "domestic", "refunds", "{out_refund_no}", out_refund_no=refund_number)
            return None if refund["status"] == "PROCESSING" else refund

        return until(settled, f"the refund {refund_number} is settled")

    def paid(self):
        number = fresh("order")
        press(code_at(self.native(number)), "pay")
        return number

    def bill(self, kind, **params):
        """Requests a bill. Returns the downloaded content, and the response with the download URL."""
        reply = self.call("get", "bill", kind, params={"bill_date": today()} | params)
        token = parameters(urllib.parse.urlsplit(reply["download_url"]).query)["token"]
        content = self.call("get", "billdownload", "file", params={"token": token}, responseType="arraybuffer")
        return content, reply

    def cast(self, content):
        return self.sdk.ask("bill", bytes=base64.b64encode(content).decode())

    def sha1(self, content):
        return self.sdk.ask("sha1", bytes=base64.b64encode(content).decode())

    def verifies(self, callback, body=None):
        """Returns whether the SDK accepts the signature of the callback. `body` replaces the callback's body if it is
        set."""
        headers = callback.headers
        text = callback.body.decode("utf-8") if body is None else body
        return self.sdk.ask("response", timestamp=headers["Wechatpay-Timestamp"], nonce=headers["Wechatpay-Nonce"],
                            body=text, signature=headers["Wechatpay-Signature"],
                            key=self.keys[headers["Wechatpay-Serial"]])

    def callback_about(self, number, event, capture):
        """Waits for the callback about this event of this order. Returns the callback, its resource, and the decrypted
        resource. `capture` receives the callbacks for merchants of both modes, each signed with the key that the
        merchant requested."""

        def read(captured):
            envelope = json.loads(captured.body)
            return captured, envelope["resource"], self.decrypted(envelope["resource"])

        def is_it(captured):
            return (captured.headers.get("Wechatpay-Serial") in self.keys
                    and json.loads(captured.body)["event_type"] == event
                    and read(captured)[2]["out_trade_no"] == number)

        return read(capture.wait_for(is_it, f"{event} of {number}"))

    def decrypted(self, resource, **changed):
        fields = {name: resource[name] for name in ("ciphertext", "nonce", "associated_data")}
        return json.loads(self.sdk.ask("decrypt", **({"key": self.known["api_v3_key"]} | fields | changed)))


@pytest.fixture(scope="module", params=MODES)
def wechatpay(request, module_server, way, capture):
    config = wechatpay_config(module_server, way, request.param)
    with sdk_process("wechatpay.js", config) as sdk:
        yield Wechatpay(sdk, module_server.demo["wechatpay"], config["certs"], capture)


def test_wechats_sdk_sells_and_refunds(wechatpay, sandbox):
    number = fresh("order")
    address = wechatpay.native(number)
    assert wechatpay.query(number)["trade_state"] == "NOTPAY"
    press(code_at(address), "pay")
    trade = wechatpay.query(number)
    assert (trade["trade_state"], trade["amount"]["total"], trade["mchid"]) == ("SUCCESS", AMOUNT,
                                                                               wechatpay.known["mchid"])
    assert wechatpay.close(number, expect=400)["code"] == "ORDER_PAID"
    assert wechatpay.query(fresh("order"), expect=404)["code"] == "ORDER_NOT_EXIST"

    refund_number = fresh("refund")
    assert wechatpay.refund(number, refund_number, 500)["status"] == "PROCESSING"
    refund = wechatpay.refund_when_settled(refund_number)
    assert (refund["status"], refund["amount"]["refund"], refund["out_refund_no"]) == ("SUCCESS", 500, refund_number)
    assert wechatpay.query(number)["trade_state"] == "REFUND"
    upstream = sandbox.ledger()[number]
    assert (upstream["trade_no"], upstream["paid"], upstream["refunded"]) == (trade["transaction_id"], AMOUNT, 500)


def test_wechats_sdk_closes(wechatpay, sandbox):
    number = fresh("order")
    wechatpay.native(number)
    assert not wechatpay.close(number)
    assert wechatpay.query(number)["trade_state"] == "CLOSED"
    assert sandbox.ledger()[number]["state"] == "closed"


def test_wechats_sdk_fetches_the_bills(wechatpay, sandbox):
    sandbox.set_fault("wechatpay", today(), "early_file")  # the SDK cannot wait for the next day
    numbers = [wechatpay.paid(), wechatpay.paid()]
    refund_number = fresh("refund")
    wechatpay.refund(numbers[0], refund_number, 500)
    wechatpay.refund_when_settled(refund_number)
    content, reply = wechatpay.bill("tradebill", bill_type="ALL")
    assert reply["hash_type"] == "SHA1" and wechatpay.sha1(content) == reply["hash_value"]
    bill, ledger = wechatpay.cast(content), sandbox.ledger()
    for number in numbers:
        [row] = [row for row in bill["rows"] if row["商户订单号"] == number and row["交易状态"] == "SUCCESS"]
        assert (row["微信订单号"], row["订单金额"]) == (ledger[number]["trade_no"], YUAN)
    [row] = [row for row in bill["rows"] if row["商户退款单号"] == refund_number]
    assert (row["商户订单号"], row["交易状态"], row["退款金额"]) == (numbers[0], "REFUND", "5.00")
    assert bill["summary"]["总交易单数"] == str(len(bill["rows"]))

    for kind, params in [("tradebill", {"bill_type": "ALL"}), ("fundflowbill", {"account_type": "BASIC"})]:
        content, reply = wechatpay.bill(kind, tar_type="GZIP", **params)
        content = gzip.decompress(content)
        assert wechatpay.sha1(content) == reply["hash_value"]
        assert wechatpay.cast(content)["rows"]


def test_wechats_sdk_decrypts_the_certificates(wechatpay, module_server):
    [reply] = wechatpay.call("get", "certificates")["data"]
    number, pem = split_keys(module_server.demo["wechatpay"])[1]
    assert reply["serial_no"] == number
    fields = {name: reply["encrypt_certificate"][name] for name in ("ciphertext", "nonce", "associated_data")}
    assert wechatpay.sdk.ask("decrypt", key=wechatpay.known["api_v3_key"], **fields).strip() == pem.strip()


def without(response, *names):
    kept = tuple(pair for pair in response.headers if pair[0].lower() not in names)
    return dataclasses.replace(response, headers=kept)


def with_header(response, name, value):
    return dataclasses.replace(response, headers=(*without(response, name.lower()).headers, (name, value)))


def changed_body(response):
    return dataclasses.replace(response, body=replaced(response.body, b'"total":1999', b'"total":1998'))


def changed_signature(response):
    return with_header(response, "Wechatpay-Signature", other_signature(dict(response.headers)["Wechatpay-Signature"]))


@pytest.mark.parametrize("alter, code", [
    (changed_body, "EV3_RES_HEADER_SIGNATURE_DIGEST"),
    (changed_signature, "EV3_RES_HEADER_SIGNATURE_DIGEST"),
    (lambda response: with_header(response, "Wechatpay-Nonce", "another"), "EV3_RES_HEADER_SIGNATURE_DIGEST"),
    (lambda response: with_header(response, "Wechatpay-Timestamp", "1600000000"), "EV3_RES_HEADER_TIMESTAMP_OFFSET"),
    (lambda response: with_header(response, "Wechatpay-Serial", "AB12"), "EV3_RES_HEADER_PLATFORM_SERIAL"),
    (lambda response: without(response, "wechatpay-signature"), "EV3_RES_HEADERS_INCOMPLATE")],  # sic
    ids=["body", "signature", "nonce", "timestamp", "serial", "unsigned"])
def test_wechats_sdk_rejects_modified_responses(wechatpay, way, alter, code):
    number = wechatpay.paid()
    with altered(way, alter), pytest.raises(Refused) as thrown:
        wechatpay.query(number)
    assert thrown.value.code == code
    assert wechatpay.query(number)["trade_state"] == "SUCCESS"


def test_wechats_sdk_rejects_a_modified_empty_response(wechatpay, way):
    number = fresh("order")
    wechatpay.native(number)
    with altered(way, changed_signature), pytest.raises(Refused) as thrown:
        wechatpay.close(number)
    assert thrown.value.code == "EV3_RES_HEADER_SIGNATURE_DIGEST"


def test_wechats_sdk_accepts_only_genuine_callbacks(wechatpay, capture):
    number, refund_number = wechatpay.paid(), fresh("refund")
    wechatpay.refund(number, refund_number, 500)
    for event in ("TRANSACTION.SUCCESS", "REFUND.SUCCESS"):
        callback, resource, plain = wechatpay.callback_about(number, event, capture)
        assert plain.get("trade_state", plain.get("refund_status")) == "SUCCESS"
        assert plain["amount"]["total"] == AMOUNT and plain.get("out_refund_no", refund_number) == refund_number
        assert wechatpay.verifies(callback) is True
        assert wechatpay.verifies(callback, replaced(callback.body.decode(), "SUCCESS", "FAILURE")) is False
        for changed in ({"nonce": "another12345"}, {"associated_data": "another"}, {"key": "0" * 32},
                        {"ciphertext": other_signature(resource["ciphertext"])}):
            with pytest.raises(Refused):
                wechatpay.decrypted(resource, **changed)


def test_wechats_sdk_distinguishes_genuine_from_forged_callbacks(wechatpay, capture):
    number = fresh("order")
    wechatpay.native(number, attach="scenario=notification_forged")

    def is_about_it(captured):
        return (captured.target == "/wechatpay"
                and wechatpay.decrypted(json.loads(captured.body)["resource"])["out_trade_no"] == number)

    def is_accepted(captured):
        is_near = abs(time.time() - int(captured.headers["Wechatpay-Timestamp"])) <= TOLERANCE_S
        return is_near and wechatpay.verifies(captured)

    check_one_of_four_is_accepted(capture, is_about_it, is_accepted)

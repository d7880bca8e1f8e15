"""Proof by strangers: SDKs that others wrote take the sandbox for the real gateways, find our adapters' signatures and
our webhooks right, and reject what was tampered with on the way."""

import base64
import contextlib
import csv
import dataclasses
import datetime
import gzip
import io
import json
import re
import time
import urllib.parse
import uuid
import zipfile

import pytest
import requests

from api import Api
from between import Between, Ear, parameters
from conftest import FAST
from finality_server import serving
from payers_page import open_page, press
from sandbox_client import SandboxClient
from shop import Shop
from strangers import Refused, Stranger, install
from wait import until

AMOUNT = 1999
YUAN = "19.99"
SUBJECT = "茶叶 两盒, 100%"
CHINA = datetime.timezone(datetime.timedelta(hours=8))
TOLERANCE_S = 300
MODES = ["public key", "certificates"]


@pytest.fixture(scope="module", autouse=True)
def installed():
    install()


@pytest.fixture(scope="module")
def module_server(start_server):
    return start_server("strangers", FAST)


@pytest.fixture(scope="module")
def sandbox(module_server):
    return SandboxClient(module_server.demo["sandbox_url"])


@pytest.fixture(scope="module")
def way(module_server):
    """To the sandbox. What the SDKs and the sandbox tell each other goes through here."""
    server = Between(module_server.demo["sandbox_url"])
    yield server
    server.stop()


@pytest.fixture(scope="module")
def ear():
    """Where the sandbox's notifications arrive."""
    server = Ear()
    yield server
    server.stop()


@contextlib.contextmanager
def altered(way, alter):
    way.alter = alter
    try:
        yield
    finally:
        way.alter = None


@contextlib.contextmanager
def stranger(script, config=None):
    made = Stranger(script, config)
    try:
        yield made
    finally:
        made.stop()


def fresh(name):
    return f"{name}{uuid.uuid4().hex[:20]}"


def code_at(address):
    """As payers_page knows what leads a person to the page."""
    return {"action": {"type": "qr_code", "code": address}}


def today():
    return datetime.datetime.now(CHINA).strftime("%Y-%m-%d")


def without(said, *names):
    return dataclasses.replace(said, headers=tuple(pair for pair in said.headers if pair[0].lower() not in names))


def with_header(said, name, value):
    return dataclasses.replace(said, headers=(*without(said, name.lower()).headers, (name, value)))


def replaced(body, old, new):
    assert old in body, body
    return body.replace(old, new)


def other_signature(text):
    """As long, and still base64."""
    return ("B" if text[0] == "A" else "A") + text[1:]


def check_one_of_four_is_believed(ear, is_about_it, is_believed):
    """Of the three forged notifications of the scenario and the genuine one."""

    def all_four():
        heard = [one for one in ear.heard() if is_about_it(one)]
        return heard if len(heard) == 4 else None

    heard = until(all_four, "four notifications have come")
    assert sorted(is_believed(one) for one in heard) == [False, False, False, True]


# Alipay.


def alipay_config(module_server, way, mode):
    known = module_server.demo["alipay"]
    config = {"appId": known["app_id"], "privateKey": known["merchant_private_key"], "timeout": 20000,
              "gateway": way.url + "/gateway.do"}
    if mode == "public key":
        return config | {"alipayPublicKey": known["alipay_public_key"]}
    return config | {"appCertContent": known["app_certificate"], "alipayPublicCertContent": known["alipay_certificate"],
                     "alipayRootCertContent": known["alipay_root_certificate"]}


class Alipay:
    """The SDK, as a merchant whose notifications come to `ear`. It verifies every answer."""

    def __init__(self, sdk, app_id, ear):
        self.sdk = sdk
        self.app_id = app_id
        self._notify_url = ear.url + "/alipay"

    def exec(self, name, **content):
        return self.sdk.ask("exec", method=f"alipay.{name}", params=self._params(content))

    def order(self, name, number, **content):
        content = self.content(number) | {"product_code": "QR_CODE_OFFLINE"} | content
        return self.exec(name, **content)

    def signed(self, how, name, number, **content):
        """A page's address, or an order string: nothing is asked by the SDK itself."""
        return self.sdk.ask(how, method=f"alipay.{name}", params=self._params(self.content(number) | content))

    def paid(self, **content):
        """Makes an order that is paid; its number."""
        number = fresh("order")
        press(code_at(self.order("trade.precreate", number, **content)["qr_code"]), "pay")
        return number

    @staticmethod
    def content(number):
        return {"out_trade_no": number, "total_amount": YUAN, "subject": SUBJECT}

    def _params(self, content):
        return {"notify_url": self._notify_url, "bizContent": content}


@pytest.fixture(scope="module", params=MODES)
def alipay(request, module_server, way, ear):
    with stranger("alipay.js", alipay_config(module_server, way, request.param)) as sdk:
        yield Alipay(sdk, module_server.demo["alipay"]["app_id"], ear)


def refusal(answer):
    return answer["code"], answer.get("sub_code")


def test_alipays_sdk_sells_and_refunds(alipay, sandbox):
    number = fresh("order")
    made = alipay.order("trade.precreate", number)
    assert made["code"] == "10000" and made["out_trade_no"] == number
    assert refusal(alipay.exec("trade.query", out_trade_no=number)) == ("40004", "ACQ.TRADE_NOT_EXIST")
    press(code_at(made["qr_code"]), "pay")
    trade = alipay.exec("trade.query", out_trade_no=number)
    assert (trade["code"], trade["trade_status"], trade["total_amount"]) == ("10000", "TRADE_SUCCESS", YUAN)
    assert refusal(alipay.exec("trade.close", out_trade_no=number)) == ("40004", "ACQ.TRADE_STATUS_ERROR")

    refund = {"trade_no": trade["trade_no"], "out_request_no": fresh("refund")}
    first, again = (alipay.exec("trade.refund", refund_amount="5.00", **refund) for _ in range(2))
    assert (first["code"], first["fund_change"], first["refund_fee"]) == ("10000", "Y", "5.00")
    assert (again["code"], again["fund_change"], again["refund_fee"]) == ("10000", "N", "5.00")
    assert refusal(alipay.exec("trade.refund", refund_amount="6.00", **refund)) == ("40004",
                                                                                    "ACQ.DISCORDANT_REPEAT_REQUEST")
    asked = alipay.exec("trade.fastpay.refund.query", **refund)
    assert (asked["refund_status"], asked["refund_amount"]) == ("REFUND_SUCCESS", "5.00")
    unknown = alipay.exec("trade.fastpay.refund.query", trade_no=trade["trade_no"], out_request_no=fresh("refund"))
    assert unknown["code"] == "10000" and "refund_status" not in unknown

    upstream = sandbox.ledger()[number]
    assert (upstream["trade_no"], upstream["paid"], upstream["refunded"]) == (trade["trade_no"], AMOUNT, 500)


def test_alipays_sdk_closes_and_cancels(alipay, sandbox):
    closed, cancelled = fresh("order"), fresh("order")
    for number in (closed, cancelled):
        open_page(code_at(alipay.order("trade.precreate", number)["qr_code"]))
    assert alipay.exec("trade.close", out_trade_no=closed)["code"] == "10000"
    assert alipay.exec("trade.cancel", out_trade_no=cancelled)["action"] == "close"
    for number in (closed, cancelled):
        assert alipay.exec("trade.query", out_trade_no=number)["trade_status"] == "TRADE_CLOSED"

    number = fresh("order")
    at_the_till = {"product_code": "FACE_TO_FACE_PAYMENT", "scene": "bar_code", "auth_code": "286512345678901234"}
    paid = alipay.order("trade.pay", number, passback_params="scenario%3Dpays", **at_the_till)
    assert paid["code"] == "10000" and paid["total_amount"] == YUAN
    assert alipay.exec("trade.cancel", out_trade_no=number)["action"] == "refund"
    ledger = sandbox.ledger()
    assert ledger[number]["refunded"] == AMOUNT and ledger[closed]["state"] == ledger[cancelled]["state"] == "closed"


def test_a_trade_that_waits_for_its_payer_is_told_so(alipay):
    number = fresh("order")
    paid = alipay.order("trade.pay", number, product_code="FACE_TO_FACE_PAYMENT", scene="bar_code",
                        auth_code="286512345678901234", passback_params="scenario%3Dnever_pays")
    assert paid["code"] == "10003"
    assert alipay.exec("trade.query", out_trade_no=number)["trade_status"] == "WAIT_BUYER_PAY"


@pytest.mark.parametrize("how, name, content", [
    ("page", "trade.page.pay", {"product_code": "FAST_INSTANT_TRADE_PAY"}),
    ("page", "trade.wap.pay", {"product_code": "QUICK_WAP_WAY", "quit_url": "https://shop.example/quit"}),
    ("order_string", "trade.app.pay", {"product_code": "QUICK_MSECURITY_PAY"})])
def test_what_alipays_sdk_signs_for_the_payer_is_opened_and_paid(alipay, way, how, name, content):
    number = fresh("order")
    signed = alipay.signed(how, name, number, **content)
    address = signed if how == "page" else f"{way.url}/gateway.do?{signed}"
    assert refusal(alipay.exec("trade.query", out_trade_no=number)) == ("40004", "ACQ.TRADE_NOT_EXIST")
    press(code_at(address), "pay")
    assert alipay.exec("trade.query", out_trade_no=number)["trade_status"] == "TRADE_SUCCESS"
    forged = requests.get(replaced(address, number, fresh("order")), timeout=10, proxies={"http": None})
    assert 'id="pay"' not in forged.text


def files_of(answer):
    """The ZIP behind the address: contents by names. Both are GBK, and no flag says otherwise."""
    packed = requests.get(answer["bill_download_url"], timeout=20, proxies={"http": None})
    assert packed.status_code == 200
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert archive.testzip() is None and not any(info.flag_bits & 0x800 for info in archive.infolist())
        # Python takes names without that flag for cp437, each of whose bytes is a character.
        return {info.filename.encode("cp437").decode("gbk"): archive.read(info).decode("gb18030")
                for info in archive.infolist()}


def rows_of(text):
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    table = csv.DictReader(lines)
    return [{name: cell.rstrip("\t") for name, cell in row.items()} for row in table]


def test_alipays_sdk_fetches_the_bills(alipay, sandbox):
    numbers = [alipay.paid(), alipay.paid()]
    request_no = fresh("refund")
    alipay.exec("trade.refund", out_trade_no=numbers[0], refund_amount="5.00", out_request_no=request_no)
    files = files_of(alipay.exec("data.dataservice.bill.downloadurl.query", bill_type="trade", bill_date=today()))
    [detail] = [text for name, text in files.items() if name.endswith("业务明细.csv")]
    [summary] = [text for name, text in files.items() if name.endswith("(汇总).csv")]
    assert detail.startswith("#支付宝业务明细查询") and summary.startswith("#支付宝业务汇总查询")
    rows = rows_of(detail)
    ledger = sandbox.ledger()
    for number in numbers:
        [row] = [row for row in rows if row["商户订单号"] == number and row["业务类型"] == "交易"]
        assert (row["支付宝交易号"], row["订单金额（元）"]) == (ledger[number]["trade_no"], YUAN)
    [row] = [row for row in rows if row["退款批次号/请求号"] == request_no]
    assert (row["业务类型"], row["商户订单号"], abs(float(row["商家实收（元）"]))) == ("退款", numbers[0], 5.0)
    paid, refunded = ([row for row in rows if row["业务类型"] == kind] for kind in ("交易", "退款"))
    assert f"交易合计：{len(paid)}笔" in detail and f"退款合计：{len(refunded)}笔" in detail

    funds = files_of(alipay.exec("data.dataservice.bill.downloadurl.query", bill_type="signcustomer",
                                 bill_date=today()))
    [detail] = [text for name, text in funds.items() if name.endswith("账务明细.csv")]
    assert {numbers[0], numbers[1]} <= {row["商户订单号"] for row in rows_of(detail)}


def changed_node(said):
    return dataclasses.replace(said, body=replaced(said.body, YUAN.encode(), b"19.98"))


def changed_sign(said):
    body = json.loads(said.body)
    new = other_signature(body["sign"])
    return dataclasses.replace(said, body=replaced(said.body, body["sign"].encode(), new.encode()))


def no_sign(said):
    return dataclasses.replace(said, body=re.sub(rb',"sign":"[^"]*"', b"", said.body))


def sign_of_another_answer(said, other):
    mine, others = json.loads(said.body)["sign"], json.loads(other)["sign"]
    return dataclasses.replace(said, body=replaced(said.body, mine.encode(), others.encode()))


def test_alipays_sdk_rejects_answers_that_were_tampered_with(alipay, way):
    number = alipay.paid()
    kept = []

    def untouched(said):
        kept.append(said.body)
        return said

    with altered(way, untouched):
        assert alipay.exec("trade.query", out_trade_no=number)["trade_status"] == "TRADE_SUCCESS"
        alipay.exec("trade.query", out_trade_no=fresh("order"))
    tampering = [changed_node, changed_sign, no_sign, lambda said: sign_of_another_answer(said, kept[1])]
    for alter in tampering:
        with altered(way, alter), pytest.raises(Refused) as thrown:
            alipay.exec("trade.query", out_trade_no=number)
        assert "验签失败" in thrown.value.message or alter is no_sign and thrown.value.name == "TypeError"
    assert alipay.exec("trade.query", out_trade_no=number)["trade_status"] == "TRADE_SUCCESS"


def test_alipays_sdk_believes_genuine_notifications_only(alipay, ear):
    number = alipay.paid()
    paid = ear.wait_for(lambda heard: number in heard.body.decode(), "notification of the payment").form
    assert (paid["trade_status"], paid["total_amount"], paid["subject"]) == ("TRADE_SUCCESS", YUAN, SUBJECT)
    alipay.exec("trade.refund", out_trade_no=number, refund_amount="5.00", out_request_no=fresh("refund"))
    refunded = ear.wait_for(lambda heard: number in heard.body.decode() and "refund_fee" in heard.form,
                            "notification of the refund").form
    assert refunded["refund_fee"] == "5.00"
    for form in (paid, refunded):
        assert "" not in form.values()
        assert alipay.sdk.ask("notification", params=form) is True
        for name in ("out_trade_no", "total_amount", "trade_status", "app_id"):
            assert alipay.sdk.ask("notification", params=form | {name: "1"}) is False
        assert alipay.sdk.ask("notification", params=form | {"sign": other_signature(form["sign"])}) is False


def test_alipays_sdk_tells_genuine_notifications_from_the_sandboxs_forged_ones(alipay, ear):
    number = fresh("order")
    alipay.order("trade.precreate", number, passback_params="scenario%3Dnotification_forged")

    def is_believed(heard):
        return heard.form["app_id"] == alipay.app_id and alipay.sdk.ask("notification", params=heard.form)

    check_one_of_four_is_believed(ear, lambda heard: number in heard.body.decode(), is_believed)



# WeChat Pay.


def split_keys(known):
    """The public key's id and PEM, and the platform certificate's."""
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
    """The SDK, as a merchant whose notifications come to `ear`. It verifies every answer below 300."""

    def __init__(self, sdk, known, keys, ear):
        self.sdk = sdk
        self.known = known
        self.keys = keys  # WeChat's, by their numbers: all that this merchant trusts
        self._notify_url = ear.url + "/wechatpay"

    def call(self, method, *chain, data=None, expect=200, **config):
        told = self.sdk.ask("call", chain=chain, method=method, data=data, config=config)
        assert told["status"] == expect, told
        return told.get("data") if "bytes" not in told else base64.b64decode(told["bytes"])

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
        """What the address leads to, as it came, and what was said of it."""
        told = self.call("get", "bill", kind, params={"bill_date": today()} | params)
        token = parameters(urllib.parse.urlsplit(told["download_url"]).query)["token"]
        content = self.call("get", "billdownload", "file", params={"token": token}, responseType="arraybuffer")
        return content, told

    def cast(self, content):
        return self.sdk.ask("bill", bytes=base64.b64encode(content).decode())

    def sha1(self, content):
        return self.sdk.ask("sha1", bytes=base64.b64encode(content).decode())

    def verifies(self, callback, body=None):
        """Whether the SDK finds a callback, or another body under its signature, to be WeChat's."""
        headers = callback.headers
        text = callback.body.decode("utf-8") if body is None else body
        return self.sdk.ask("response", timestamp=headers["Wechatpay-Timestamp"], nonce=headers["Wechatpay-Nonce"],
                            body=text, signature=headers["Wechatpay-Signature"],
                            key=self.keys[headers["Wechatpay-Serial"]])

    def callback_about(self, number, event, ear):
        """Of this event of this order: as it came, its resource, and that decrypted. Callbacks to merchants of both
        modes come there, each signed with the key that its merchant asked for."""

        def read(heard):
            envelope = json.loads(heard.body)
            return heard, envelope["resource"], self.decrypted(envelope["resource"])

        def is_it(heard):
            return (heard.headers.get("Wechatpay-Serial") in self.keys and json.loads(heard.body)["event_type"] == event
                    and read(heard)[2]["out_trade_no"] == number)

        return read(ear.wait_for(is_it, f"{event} of {number}"))

    def decrypted(self, resource, **changed):
        fields = {name: resource[name] for name in ("ciphertext", "nonce", "associated_data")}
        return json.loads(self.sdk.ask("decrypt", **({"key": self.known["api_v3_key"]} | fields | changed)))


@pytest.fixture(scope="module", params=MODES)
def wechatpay(request, module_server, way, ear):
    config = wechatpay_config(module_server, way, request.param)
    with stranger("wechatpay.js", config) as sdk:
        yield Wechatpay(sdk, module_server.demo["wechatpay"], config["certs"], ear)


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
    numbers = [wechatpay.paid(), wechatpay.paid()]
    refund_number = fresh("refund")
    wechatpay.refund(numbers[0], refund_number, 500)
    wechatpay.refund_when_settled(refund_number)
    content, told = wechatpay.bill("tradebill", bill_type="ALL")
    assert told["hash_type"] == "SHA1" and wechatpay.sha1(content) == told["hash_value"]
    bill, ledger = wechatpay.cast(content), sandbox.ledger()
    for number in numbers:
        [row] = [row for row in bill["rows"] if row["商户订单号"] == number and row["交易状态"] == "SUCCESS"]
        assert (row["微信订单号"], row["订单金额"]) == (ledger[number]["trade_no"], YUAN)
    [row] = [row for row in bill["rows"] if row["商户退款单号"] == refund_number]
    assert (row["商户订单号"], row["交易状态"], row["退款金额"]) == (numbers[0], "REFUND", "5.00")
    assert bill["summary"]["总交易单数"] == str(len(bill["rows"]))

    for kind, params in [("tradebill", {"bill_type": "ALL"}), ("fundflowbill", {"account_type": "BASIC"})]:
        content, told = wechatpay.bill(kind, tar_type="GZIP", **params)
        content = gzip.decompress(content)
        assert wechatpay.sha1(content) == told["hash_value"]
        assert wechatpay.cast(content)["rows"]


def test_wechats_sdk_decrypts_the_certificates(wechatpay, module_server):
    [told] = wechatpay.call("get", "certificates")["data"]
    number, pem = split_keys(module_server.demo["wechatpay"])[1]
    assert told["serial_no"] == number
    fields = {name: told["encrypt_certificate"][name] for name in ("ciphertext", "nonce", "associated_data")}
    assert wechatpay.sdk.ask("decrypt", key=wechatpay.known["api_v3_key"], **fields).strip() == pem.strip()


def changed_body(said):
    return dataclasses.replace(said, body=replaced(said.body, b'"total":1999', b'"total":1998'))


def changed_signature(said):
    return with_header(said, "Wechatpay-Signature", other_signature(dict(said.headers)["Wechatpay-Signature"]))


@pytest.mark.parametrize("alter, code", [
    (changed_body, "EV3_RES_HEADER_SIGNATURE_DIGEST"),
    (changed_signature, "EV3_RES_HEADER_SIGNATURE_DIGEST"),
    (lambda said: with_header(said, "Wechatpay-Nonce", "another"), "EV3_RES_HEADER_SIGNATURE_DIGEST"),
    (lambda said: with_header(said, "Wechatpay-Timestamp", "1600000000"), "EV3_RES_HEADER_TIMESTAMP_OFFSET"),
    (lambda said: with_header(said, "Wechatpay-Serial", "AB12"), "EV3_RES_HEADER_PLATFORM_SERIAL"),
    (lambda said: without(said, "wechatpay-signature"), "EV3_RES_HEADERS_INCOMPLATE")],  # sic
    ids=["body", "signature", "nonce", "timestamp", "serial", "unsigned"])
def test_wechats_sdk_rejects_answers_that_were_tampered_with(wechatpay, way, alter, code):
    number = wechatpay.paid()
    with altered(way, alter), pytest.raises(Refused) as thrown:
        wechatpay.query(number)
    assert thrown.value.code == code
    assert wechatpay.query(number)["trade_state"] == "SUCCESS"


def test_wechats_sdk_rejects_an_empty_answer_that_was_tampered_with(wechatpay, way):
    number = fresh("order")
    wechatpay.native(number)
    with altered(way, changed_signature), pytest.raises(Refused) as thrown:
        wechatpay.close(number)
    assert thrown.value.code == "EV3_RES_HEADER_SIGNATURE_DIGEST"


def test_wechats_sdk_believes_genuine_callbacks_only(wechatpay, ear):
    number, refund_number = wechatpay.paid(), fresh("refund")
    wechatpay.refund(number, refund_number, 500)
    for event in ("TRANSACTION.SUCCESS", "REFUND.SUCCESS"):
        callback, resource, plain = wechatpay.callback_about(number, event, ear)
        assert plain.get("trade_state", plain.get("refund_status")) == "SUCCESS"
        assert plain["amount"]["total"] == AMOUNT and plain.get("out_refund_no", refund_number) == refund_number
        assert wechatpay.verifies(callback) is True
        assert wechatpay.verifies(callback, replaced(callback.body.decode(), "SUCCESS", "FAILURE")) is False
        for changed in ({"nonce": "another12345"}, {"associated_data": "another"}, {"key": "0" * 32},
                        {"ciphertext": other_signature(resource["ciphertext"])}):
            with pytest.raises(Refused):
                wechatpay.decrypted(resource, **changed)


def test_wechats_sdk_tells_genuine_callbacks_from_the_sandboxs_forged_ones(wechatpay, ear):
    number = fresh("order")
    wechatpay.native(number, attach="scenario=notification_forged")

    def is_about_it(heard):
        return (heard.target == "/wechatpay"
                and wechatpay.decrypted(json.loads(heard.body)["resource"])["out_trade_no"] == number)

    def is_believed(heard):
        is_near = abs(time.time() - int(heard.headers["Wechatpay-Timestamp"])) <= TOLERANCE_S
        return is_near and wechatpay.verifies(heard)

    check_one_of_four_is_believed(ear, is_about_it, is_believed)



# What our adapters send.

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
PAYER = {"openid": "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o", "auth_code": "286512345678901234", "client_ip": "203.0.113.7"}


@dataclasses.dataclass(frozen=True)
class Lived:
    """What a server of ours sent, and the actions that it gave to payers, by channel and method."""

    heard: list
    actions: dict

    def to(self, prefix):
        return [one for one in self.heard if one.target.startswith(prefix)]


@pytest.fixture(scope="module")
def lived(contract, module_server, tmp_path_factory):
    """A server that has taken payments by every method, closed some, and given money back."""
    demo = module_server.demo
    way = Between(demo["sandbox_url"])
    try:
        settings = SETTINGS.format(way=way.url, keys=module_server.keys, app_id=demo["alipay"]["app_id"],
                                   seller_id=demo["alipay"]["seller_id"], mchid=demo["wechatpay"]["mchid"],
                                   appid=demo["wechatpay"]["appid"])
        with serving(tmp_path_factory.mktemp("adapters"), settings) as server:
            api = api_of_new_merchant(contract, server)
            actions = {way_: live(api, *way_) for way_ in [
                ("alipay", "qr"), ("alipay", "barcode"), ("alipay_certificates", "qr"), ("wechatpay", "native"),
                ("wechatpay", "jsapi"), ("wechatpay", "app"), ("wechatpay", "h5")]}
            for name in ("alipay", "alipay_certificates"):
                for method in ("page", "wap", "app"):
                    actions[name, method] = action_of(create(api, name, method, "manual"))
        yield Lived(way.heard(), actions)
    finally:
        way.stop()


def api_of_new_merchant(contract, server):
    admin = Api(contract, server.base_url, server.admin_key)
    merchant = admin.post("/v1/merchants", {"name": "strangers"}, expect=201)
    key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
    return Api(contract, server.base_url, key["key"])


def create(api, channel, method, scenario):
    return api.create_order(amount=AMOUNT, subject=SUBJECT, payment={"channel": channel, "method": method,
                                                                     "payer": PAYER, "scenario": scenario})


def action_of(order):
    [payment] = order["payments"]
    return payment["action"]


def live(api, channel, method):
    """One order is paid and half given back, the channel not answering at first; another one is closed. The action."""
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
def in_alipays_place(module_server):
    """The SDK, told that the merchant's certificate is Alipay's: so it verifies what the merchant signs."""
    known = module_server.demo["alipay"]
    with stranger("alipay.js", {
            "appId": known["app_id"], "privateKey": known["merchant_private_key"],
            "gateway": "http://127.0.0.1/gateway.do", "appCertContent": known["app_certificate"],
            "alipayPublicCertContent": known["app_certificate"],
            "alipayRootCertContent": known["alipay_root_certificate"]}) as sdk:
        yield sdk


def check_signed_for_alipay(sdk, signed):
    assert sdk.ask("notification", params=signed) is True, signed
    assert sdk.ask("notification", params=signed | {"biz_content": signed["biz_content"] + " "}) is False


def test_alipays_sdk_finds_what_our_adapter_sends_signed_rightly(lived, in_alipays_place):
    sent = [one.query | one.form for one in lived.to("/gateway.do")]
    assert {one["method"].removeprefix("alipay.trade.") for one in sent} >= {
        "precreate", "pay", "query", "close", "refund", "fastpay.refund.query"}
    assert {"app_cert_sn" in one for one in sent} == {True, False}
    for one in sent:
        check_signed_for_alipay(in_alipays_place, one)


@pytest.mark.parametrize("channel", ["alipay", "alipay_certificates"])
@pytest.mark.parametrize("method", ["page", "wap", "app"])
def test_alipays_sdk_finds_what_our_payers_open_signed_rightly(lived, in_alipays_place, channel, method):
    action = lived.actions[channel, method]
    signed = parameters(action["code"] if method == "app" else urllib.parse.urlsplit(action["url"]).query)
    assert signed["method"] == f"alipay.trade.{method}.pay"
    check_signed_for_alipay(in_alipays_place, signed)


def test_our_adapter_and_alipays_sdk_number_certificates_alike(lived, in_alipays_place):
    theirs = parameters(urllib.parse.urlsplit(in_alipays_place.ask(
        "page", method="alipay.trade.page.pay", params={"bizContent": {}})).query)
    ours = parameters(urllib.parse.urlsplit(lived.actions["alipay_certificates", "page"]["url"]).query)
    for name in ("app_cert_sn", "alipay_root_cert_sn"):
        assert ours[name] == theirs[name]


@pytest.fixture(scope="module")
def in_wechats_place(module_server):
    """The SDK with the merchant's certificate: what the merchant signed, by a handler's name."""
    certificate = (module_server.keys / "wechatpay/merchant/certificate.pem").read_text(encoding="ascii")
    with stranger("wechatpay.js") as sdk:
        yield lambda what, **arguments: sdk.ask(what, key=certificate, **arguments)


def authorization_of(heard):
    scheme, rest = heard.headers["Authorization"].split(" ", 1)
    assert scheme == "WECHATPAY2-SHA256-RSA2048"
    return dict(re.fullmatch(r'(\w+)="([^"]*)"', part).groups() for part in rest.split(","))


def test_wechats_sdk_finds_what_our_adapter_sends_signed_rightly(lived, in_wechats_place, module_server):
    sent = lived.to("/v3/")
    paths = [f"{one.method} {urllib.parse.urlsplit(one.target).path}" for one in sent]
    for pattern in [r"POST /v3/pay/transactions/(native|jsapi|app|h5)", r"GET /v3/pay/transactions/out-trade-no/\w+",
                    r"POST /v3/pay/transactions/out-trade-no/\w+/close", r"POST /v3/refund/domestic/refunds",
                    r"GET /v3/refund/domestic/refunds/\w+", "GET /v3/certificates"]:
        assert any(re.fullmatch(pattern, path) for path in paths), pattern
    known = module_server.demo["wechatpay"]
    for one in sent:
        said = authorization_of(one)
        assert (said["mchid"], said["serial_no"].upper()) == (known["mchid"], known["serial"].upper())
        request = {"method": one.method, "target": one.target, "timestamp": said["timestamp"],
                   "nonce": said["nonce_str"], "body": one.body.decode("utf-8"), "signature": said["signature"]}
        assert in_wechats_place("request", **request) is True, request
        assert in_wechats_place("request", **request | {"target": one.target + "x"}) is False


@pytest.mark.parametrize("method, names", [("jsapi", ["appId", "timeStamp", "nonceStr", "package"]),
                                           ("app", ["appid", "timestamp", "noncestr", "prepayid"])])
def test_wechats_sdk_finds_what_our_payers_apps_get_signed_rightly(lived, in_wechats_place, method, names):
    given = json.loads(lived.actions["wechatpay", method]["code"])
    lines = [given[name] for name in names]
    signature = given["paySign" if method == "jsapi" else "sign"]
    assert in_wechats_place("lines", lines=lines, signature=signature) is True
    assert in_wechats_place("lines", lines=[*lines[:3], lines[3] + "x"], signature=signature) is False


# Our webhooks.


def test_standardwebhooks_believes_genuine_webhooks_only(contract, module_server, merchant_server):
    shop = Shop.of_demo(contract, module_server, merchant_server)
    order = shop.order(amount=AMOUNT, subject=SUBJECT, payment={"channel": "sandbox", "scenario": "pays"})
    told = shop.wait_for_notification(order)
    payload = told.body.decode("utf-8")
    headers = {"webhook-id": told.id, "webhook-timestamp": told.timestamp,
               "webhook-signature": " ".join(told.signatures)}
    with stranger("webhook.js") as sdk:
        assert sdk.ask("verify", secret=shop.webhook_secret, payload=payload, headers=headers) == told.json
        genuine = {"secret": shop.webhook_secret, "payload": payload, "headers": headers}
        other_secret = "whsec_" + base64.b64encode(b"another secret of 32 bytes......").decode()
        for changed in ({"payload": payload.replace(str(AMOUNT), str(AMOUNT + 1))}, {"secret": other_secret},
                        {"headers": headers | {"webhook-id": "msg_another"}},
                        {"headers": headers | {"webhook-timestamp": str(int(told.timestamp) - 1)}},
                        {"headers": headers | {"webhook-timestamp": "1600000000"}}):
            with pytest.raises(Refused) as thrown:
                sdk.ask("verify", **(genuine | changed))
            assert thrown.value.name == "WebhookVerificationError"

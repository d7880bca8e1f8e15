"""Interoperability: Alipay's SDK accepts the sandbox as Alipay's gateway, and rejects responses that were modified in
transit."""

import csv
import dataclasses
import io
import json
import re
import zipfile

import pytest
import requests

from payers_page import open_page, press
from interop_sdks import Refused
from interop_site import (capture, installed, module_server, sandbox, way,  # noqa: F401
                             AMOUNT, MODES, SUBJECT, YUAN, altered, check_one_of_four_is_accepted, code_at, fresh,
                             other_signature, replaced, sdk_process, today)


def alipay_config(module_server, way, mode):
    known = module_server.demo["alipay"]
    config = {"appId": known["app_id"], "privateKey": known["merchant_private_key"], "timeout": 20000,
              "gateway": way.url + "/gateway.do"}
    if mode == "public key":
        return config | {"alipayPublicKey": known["alipay_public_key"]}
    return config | {"appCertContent": known["app_certificate"], "alipayPublicCertContent": known["alipay_certificate"],
                     "alipayRootCertContent": known["alipay_root_certificate"]}


class Alipay:
    """Client that uses the SDK as a merchant. The SDK verifies every response. Notifications go to `capture`."""

    def __init__(self, sdk, known, capture):
        self.sdk = sdk
        self.app_id = known["app_id"]
        self.seller_id = known["seller_id"]
        self._notify_url = capture.url + "/alipay"

    def exec(self, name, **content):
        return self.sdk.ask("exec", method=f"alipay.{name}", params=self._params(content))

    def order(self, name, number, **content):
        content = self.content(number) | {"product_code": "QR_CODE_OFFLINE"} | content
        return self.exec(name, **content)

    def signed(self, how, name, number, **content):
        """Returns the URL of a payment page or a signed order string. The SDK sends no request."""
        return self.sdk.ask(how, method=f"alipay.{name}", params=self._params(self.content(number) | content))

    def paid(self, **content):
        """Creates a trade, pays it on the payer's page and returns its out_trade_no."""
        number = fresh("order")
        press(code_at(self.order("trade.precreate", number, **content)["qr_code"]), "pay")
        return number

    @staticmethod
    def freeze_content(number, scenario="manual", product_code="PRE_AUTH"):
        """Content of a request that freezes an amount. The freeze has the number as its out_request_no too."""
        return {"out_order_no": number, "out_request_no": number, "order_title": SUBJECT, "amount": YUAN,
                "product_code": product_code, "extra_param": json.dumps({"scenario": scenario})}

    def freeze(self, scenario="authorizes"):
        """Freezes an amount by barcode and returns the operation."""
        content = self.freeze_content(fresh("auth"), scenario)
        return self.exec("fund.auth.order.freeze", auth_code="286512345678901234", auth_code_type="bar_code", **content)

    def query_freeze(self, number):
        return self.exec("fund.auth.operation.detail.query", out_order_no=number, out_request_no=number,
                         operation_type="FREEZE")

    def capture(self, frozen, number, amount, **content):
        return self.exec("trade.pay", out_trade_no=number, total_amount=amount, subject=SUBJECT,
                         product_code="PRE_AUTH", auth_no=frozen["auth_no"], seller_id=self.seller_id,
                         buyer_id=frozen["payer_user_id"], **content)

    def unfreeze(self, frozen, number, amount):
        return self.exec("fund.auth.order.unfreeze", auth_no=frozen["auth_no"], out_request_no=number, amount=amount,
                         remark="不再需要")

    def cancel_freeze(self, number):
        return self.exec("fund.auth.operation.cancel", out_order_no=number, out_request_no=number, remark="不再需要")

    @staticmethod
    def content(number):
        return {"out_trade_no": number, "total_amount": YUAN, "subject": SUBJECT}

    def _params(self, content):
        return {"notify_url": self._notify_url, "bizContent": content}


@pytest.fixture(scope="module", params=MODES)
def alipay(request, module_server, way, capture):
    with sdk_process("alipay.js", alipay_config(module_server, way, request.param)) as sdk:
        yield Alipay(sdk, module_server.demo["alipay"], capture)


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
    assert "gmt_refund_pay" not in asked and "send_back_fee" not in asked
    details = alipay.exec("trade.fastpay.refund.query", query_options=["gmt_refund_pay", "refund_detail_item_list"],
                          **refund)
    assert details["gmt_refund_pay"] and details["send_back_fee"] == "5.00"
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


def test_a_trade_that_waits_for_its_payer_is_reported_as_waiting(alipay):
    number = fresh("order")
    paid = alipay.order("trade.pay", number, product_code="FACE_TO_FACE_PAYMENT", scene="bar_code",
                        auth_code="286512345678901234", passback_params="scenario%3Dnever_pays")
    assert paid["code"] == "10003"
    assert alipay.exec("trade.query", out_trade_no=number)["trade_status"] == "WAIT_BUYER_PAY"


@pytest.mark.parametrize("how, name, content", [
    ("page", "trade.page.pay", {"product_code": "FAST_INSTANT_TRADE_PAY"}),
    ("page", "trade.wap.pay", {"product_code": "QUICK_WAP_WAY", "quit_url": "https://shop.example/quit"}),
    ("page", "trade.wap.pay", {"product_code": "QUICK_WAP_PAY"}),  # as yansongda/pay sends it
    ("order_string", "trade.app.pay", {"product_code": "QUICK_MSECURITY_PAY"})])
def test_a_payers_request_signed_by_alipays_sdk_is_paid(alipay, way, how, name, content):
    number = fresh("order")
    signed = alipay.signed(how, name, number, **content)
    address = signed if how == "page" else f"{way.url}/gateway.do?{signed}"
    assert refusal(alipay.exec("trade.query", out_trade_no=number)) == ("40004", "ACQ.TRADE_NOT_EXIST")
    press(code_at(address), "pay")
    assert alipay.exec("trade.query", out_trade_no=number)["trade_status"] == "TRADE_SUCCESS"
    forged = requests.get(replaced(address, number, fresh("order")), timeout=10, proxies={"http": None})
    assert 'id="pay"' not in forged.text


def files_of(answer):
    """Downloads the ZIP file of a bill and returns {file name: text}. As in Alipay's bills, names and contents are GBK,
    without the UTF-8 flag."""
    packed = requests.get(answer["bill_download_url"], timeout=20, proxies={"http": None})
    assert packed.status_code == 200
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert archive.testzip() is None and not any(info.flag_bits & 0x800 for info in archive.infolist())
        # Without the UTF-8 flag Python decodes names as cp437, which maps every byte and can therefore be reversed.
        return {info.filename.encode("cp437").decode("gbk"): archive.read(info).decode("gb18030")
                for info in archive.infolist()}


def rows_of(text):
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    table = csv.DictReader(lines)
    return [{name: cell.rstrip("\t") for name, cell in row.items()} for row in table]


def test_alipays_sdk_fetches_the_bills(alipay, sandbox):
    sandbox.set_fault("alipay", today(), "early_file")  # the SDK cannot wait for the next day
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


def changed_node(response):
    return dataclasses.replace(response, body=replaced(response.body, YUAN.encode(), b"19.98"))


def changed_sign(response):
    body = json.loads(response.body)
    new = other_signature(body["sign"])
    return dataclasses.replace(response, body=replaced(response.body, body["sign"].encode(), new.encode()))


def no_sign(response):
    return dataclasses.replace(response, body=re.sub(rb',"sign":"[^"]*"', b"", response.body))


def sign_of_another_answer(response, other):
    mine, others = json.loads(response.body)["sign"], json.loads(other)["sign"]
    return dataclasses.replace(response, body=replaced(response.body, mine.encode(), others.encode()))


def test_alipays_sdk_rejects_modified_responses(alipay, way):
    number = alipay.paid()
    kept = []

    def untouched(response):
        kept.append(response.body)
        return response

    with altered(way, untouched):
        assert alipay.exec("trade.query", out_trade_no=number)["trade_status"] == "TRADE_SUCCESS"
        alipay.exec("trade.query", out_trade_no=fresh("order"))
    tampering = [changed_node, changed_sign, no_sign, lambda response: sign_of_another_answer(response, kept[1])]
    for alter in tampering:
        with altered(way, alter), pytest.raises(Refused) as thrown:
            alipay.exec("trade.query", out_trade_no=number)
        assert "验签失败" in thrown.value.message or alter is no_sign and thrown.value.name == "TypeError"
    assert alipay.exec("trade.query", out_trade_no=number)["trade_status"] == "TRADE_SUCCESS"


def test_alipays_sdk_accepts_only_genuine_notifications(alipay, capture):
    number = alipay.paid()
    paid = capture.wait_for(lambda captured: number in captured.body.decode(), "notification of the payment").form
    assert (paid["trade_status"], paid["total_amount"], paid["subject"]) == ("TRADE_SUCCESS", YUAN, SUBJECT)
    alipay.exec("trade.refund", out_trade_no=number, refund_amount="5.00", out_request_no=fresh("refund"))
    refunded = capture.wait_for(lambda captured: number in captured.body.decode() and "refund_fee" in captured.form,
                            "notification of the refund").form
    assert refunded["refund_fee"] == "5.00"
    for form in (paid, refunded):
        assert "" not in form.values()
        assert alipay.sdk.ask("notification", params=form) is True
        for name in ("out_trade_no", "total_amount", "trade_status", "app_id"):
            assert alipay.sdk.ask("notification", params=form | {name: "1"}) is False
        assert alipay.sdk.ask("notification", params=form | {"sign": other_signature(form["sign"])}) is False


def test_alipays_sdk_distinguishes_genuine_from_forged_notifications(alipay, capture):
    number = fresh("order")
    alipay.order("trade.precreate", number, passback_params="scenario%3Dnotification_forged")

    def is_accepted(captured):
        return captured.form["app_id"] == alipay.app_id and alipay.sdk.ask("notification", params=captured.form)

    check_one_of_four_is_accepted(capture, lambda captured: number in captured.body.decode(), is_accepted)


def totals(operation):
    """Returns what was frozen, what was paid, and the rest."""
    return tuple(operation[f"{name}_amount"] for name in ("total_freeze", "total_pay", "rest"))


def test_alipays_sdk_freezes_captures_and_unfreezes(alipay, sandbox):
    frozen = alipay.freeze()
    assert (frozen["code"], frozen["status"], frozen["amount"]) == ("10000", "SUCCESS", YUAN)
    number = frozen["out_order_no"]
    asked = alipay.query_freeze(number)
    assert (asked["order_status"], *totals(asked)) == ("AUTHORIZED", YUAN, "0.00", YUAN)

    first = fresh("capture")
    paid = alipay.capture(frozen, first, "5.00")
    assert (paid["code"], paid["total_amount"]) == ("10000", "5.00")
    assert refusal(alipay.capture(frozen, first, "5.00")) == ("40004", "ACQ.TRADE_HAS_SUCCESS")
    assert refusal(alipay.capture(frozen, fresh("capture"), "15.00")) == ("40004", "ACQ.AUTH_AMOUNT_NOT_ENOUGH")
    trade = alipay.exec("trade.query", out_trade_no=first)
    assert (trade["trade_status"], trade["trade_no"]) == ("TRADE_SUCCESS", paid["trade_no"])
    operation = alipay.exec("fund.auth.operation.detail.query", out_order_no=number, out_request_no=first,
                            operation_type="PAY")
    assert (operation["operation_type"], operation["amount"], *totals(operation)) == ("PAY", "5.00", YUAN, "5.00",
                                                                                     "14.99")
    assert refusal(alipay.cancel_freeze(number)) == ("40004", "REQUEST_AMOUNT_EXCEED")

    part = fresh("release")
    for _ in range(2):
        assert alipay.unfreeze(frozen, part, "4.99")["status"] == "SUCCESS"
    assert totals(alipay.query_freeze(number)) == (YUAN, "5.00", "10.00")
    alipay.capture(frozen, fresh("capture"), "1.00", auth_confirm_mode="COMPLETE")
    finished = alipay.query_freeze(number)
    assert (finished["order_status"], *totals(finished)) == ("FINISH", YUAN, "6.00", "0.00")
    assert refusal(alipay.unfreeze(frozen, fresh("release"), "1.00")) == ("40004", "ORDER_ALREADY_FINISH")

    [hold] = [hold for hold in sandbox.all_authorizations() if hold["out_order_no"] == number]
    assert (hold["auth_no"], hold["captured"], hold["released"]) == (frozen["auth_no"], 600, AMOUNT - 600)
    assert sandbox.ledger()[first]["auth_no"] == frozen["auth_no"]


def test_alipays_sdk_freezes_by_code_and_order_string(alipay, way):
    number = fresh("auth")
    made = alipay.exec("fund.auth.order.voucher.create", **alipay.freeze_content(number))
    assert (made["code"], made["code_type"]) == ("10000", "qrCode")
    assert refusal(alipay.query_freeze(number)) == ("40004", "AUTH_ORDER_NOT_EXIST")
    open_page(code_at(made["code_value"]))
    assert alipay.query_freeze(number)["order_status"] == "INIT"
    assert alipay.cancel_freeze(number)["action"] == "close"
    assert alipay.query_freeze(number)["order_status"] == "CLOSED"

    number = fresh("auth")
    order_string = alipay.sdk.ask("order_string", method="alipay.fund.auth.order.app.freeze",
                                  params={"bizContent": alipay.freeze_content(number, product_code="PRE_AUTH_ONLINE")})
    press(code_at(f"{way.url}/gateway.do?{order_string}"), "pay")
    assert alipay.query_freeze(number)["order_status"] == "AUTHORIZED"
    assert alipay.cancel_freeze(number)["action"] == "unfreeze"
    assert totals(alipay.query_freeze(number)) == (YUAN, "0.00", "0.00")


def test_alipays_sdk_sees_that_a_credit_is_not_funded(alipay):
    frozen = alipay.freeze("authorizes_credit")
    assert alipay.query_freeze(frozen["out_order_no"])["pre_auth_type"] == "CREDIT_AUTH"
    assert refusal(alipay.capture(frozen, fresh("capture"), "5.00")) == ("40004", "ACQ.BUYER_BALANCE_NOT_ENOUGH")


def test_alipays_sdk_verifies_both_envelopes_of_authorizations(alipay, sandbox, capture):
    frozen = alipay.freeze()
    number = frozen["out_order_no"]

    def notification(name, text):
        def is_it(captured):
            form = captured.form
            return number in captured.body.decode() and form.get("notify_type", form.get("msg_method")) == name \
                and text in captured.body.decode()
        return capture.wait_for(is_it, f"notification {name}").form

    classic = notification("fund_auth_freeze", "operation_type=FREEZE")
    assert (classic["auth_no"], *totals(classic)) == (frozen["auth_no"], YUAN, "0.00", YUAN)
    part = fresh("release")
    alipay.unfreeze(frozen, part, "4.99")
    released = notification("fund_auth_unfreeze", part)
    assert (released["amount"], released["total_unfreeze_amount"], released["rest_amount"]) == ("4.99", "4.99", "15.00")
    sandbox.act_in_console(frozen["auth_no"], "lapse")
    message = notification("fund_auth_unfreeze", "biz_content=")
    assert "notify_type" not in message
    content = json.loads(message["biz_content"])
    assert (content["out_order_no"], *totals(content)) == (number, YUAN, "0.00", "0.00")
    for form in (classic, released, message):
        assert "" not in form.values()
        assert alipay.sdk.ask("notification", params=form) is True
        for name in form.keys() - {"sign", "sign_type"}:
            assert alipay.sdk.ask("notification", params=form | {name: "1"}) is False, name
        assert alipay.sdk.ask("notification", params=form | {"sign": other_signature(form["sign"])}) is False

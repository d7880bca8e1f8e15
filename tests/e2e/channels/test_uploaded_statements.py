"""A line of an uploaded statement is a claim. Over each gateway it starts a query of its payment, and books nothing."""

import csv
import dataclasses
import datetime
import io
import json

import pytest

from recording_proxy import RecordingProxy
from statement_world import METHODS, next_day, statement_world
from wait import until

CHANNELS = list(METHODS)
AMOUNT = "100.00"
FEE = "0.60"


@dataclasses.dataclass
class Claim:
    """The line of a payment that the channel does not have as paid."""
    date: str
    out_trade_no: str
    account: dict  # of the merchant at the channel


def rows_of(*rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def simple_file(claim):
    return rows_of(
        ["statement", "version", "channel", "kind", "date", "time_zone"],
        ["statement", "1", "sandbox", "trades", claim.date, "+08:00"],
        ["columns", "type", "time", "trade_no", "out_trade_no", "refund_no", "out_refund_no", "currency", "amount",
         "discount", "fee", "status"],
        ["line", "payment", f"{claim.date}T13:00:00+08:00", "T-claimed", claim.out_trade_no, "", "", "CNY", AMOUNT,
         "0.00", FEE, "success"],
        ["totals_columns", "currency", "lines", "payments", "paid", "refunds", "refunded", "fees"],
        ["totals", "CNY", "1", "1", AMOUNT, "0", "0.00", FEE]).replace("\r\n", "\n")


def alipay_file(claim):
    first, last = (day.replace("-", "年", 1).replace("-", "月") + "日 00:00:00"
                   for day in (claim.date, next_day(claim.date)))
    cells = {"支付宝交易号": "2026000000000000000000000001", "商户订单号": claim.out_trade_no, "业务类型": "交易",
             "创建时间": f"{claim.date} 13:00:00", "完成时间": f"{claim.date} 13:00:00", "订单金额（元）": AMOUNT,
             "商家实收（元）": AMOUNT, "退款批次号/请求号": "", "服务费（元）": f"-{FEE}"}
    return (f"#支付宝业务明细查询\r\n#账号：[{claim.account['seller_id']}0156]\r\n"
            f"#起始日期：[{first}]   终止日期：[{last}]\r\n#----业务明细列表----\r\n"
            + rows_of(cells.keys(), cells.values()) +
            f"#----业务明细列表结束----\r\n#交易合计：1笔，商家实收共{AMOUNT}元，商家优惠共0.00元\r\n"
            f"#导出时间：[{last}]\r\n")


def wechatpay_file(claim):
    cells = {"交易时间": f"{claim.date} 13:00:00", "商户号": claim.account["mchid"],
             "微信订单号": "4200000000000000000000000001", "商户订单号": claim.out_trade_no, "交易类型": "NATIVE",
             "交易状态": "SUCCESS", "货币种类": "CNY", "应结订单金额": AMOUNT, "手续费": FEE}
    return rows_of(cells.keys(), [f"`{cell}" for cell in cells.values()], ["总交易单数"], ["`1"])


FILES = {"sandbox": simple_file, "alipay": alipay_file, "wechatpay": wechatpay_file}


def prepare(world):
    """The server uses the channels over a proxy that records its requests."""
    world.way = RecordingProxy(world.upstream.url)
    world.gateway_url = world.way.url


@pytest.fixture(scope="module")
def world(contract, tmp_path_factory):
    with statement_world(tmp_path_factory.mktemp("uploads"), contract, CHANNELS, prepare) as world:
        yield world
    world.way.stop()


@pytest.fixture(scope="module")
def closed_day(world):
    """A day with one unpaid order per channel, before the channels have its statements. Returns the date, and
    the closed orders by channel."""
    world.pass_to(12)
    date = world.today()
    orders = {}
    for channel in CHANNELS:
        order = world.order(channel, "never_pays", attempts=1)
        world.shop.payment_when(order["payments"][0]["id"], "pending")
        world.shop.close(order["id"])
        orders[channel] = world.shop.order_when_final(order["id"])
    world.pass_to(8)
    return date, orders


def requests_about(world, number):
    return [one for one in world.way.captured() if number in one.target or number.encode() in one.body]


@pytest.mark.parametrize("channel", CHANNELS)
def test_an_uploaded_payment_is_queried_and_not_booked(world, closed_day, channel):
    date, orders = closed_day
    order = orders[channel]
    [payment] = order["payments"]
    assert order["state"] == "closed", order
    account = world.upstream.data / channel / "merchant/account.json"
    claim = Claim(date, payment["out_trade_no"], json.loads(account.read_text("utf-8")) if account.exists() else {})
    before = len(requests_about(world, claim.out_trade_no))
    path = f"/v1/statements?channel_account={world.accounts[channel]}&kind=trades&date={date}"
    made = world.operator.request("POST", path, data=FILES[channel](claim).encode("utf-8"))
    assert made.status_code == 202, made.text
    path = f"/v1/statements/{made.json()['id']}"
    until(lambda: world.operator.get(path)["state"] in ("matched", "rejected"), "the upload is compared")
    uploaded = world.operator.get(path)
    assert uploaded["state"] == "matched", uploaded
    assert uploaded["counts"] == {"matched": 0, "repaired": 0, "carried": 0, "differences": 1}
    until(lambda: len(requests_about(world, claim.out_trade_no)) == before + 1, "the payment is queried")
    [difference] = world.differences(date, channel)
    assert (difference["class"], difference["state"], difference["order"]) == ("late_status", "open", order["id"])
    [payment] = world.shop.order(order["id"])["payments"]
    assert payment["paid_amount"] == 0 and payment["state"] == orders[channel]["payments"][0]["state"]


def test_the_same_file_and_key_with_another_date_is_refused(world):
    """The file of one day must not be lost because a key was used for the same bytes of another day."""
    account = json.loads((world.upstream.data / "alipay/merchant/account.json").read_text("utf-8"))
    days = [(datetime.date.fromisoformat(world.today()) - datetime.timedelta(days=age)).isoformat() for age in (30, 31)]
    file = alipay_file(Claim(days[0], "of-another-system", account)).encode("utf-8")

    def upload(*parameters, key="upload-1", body=file):
        return world.operator.request("POST", f"/v1/statements?{'&'.join(parameters)}", data=body,
                                      headers={"Idempotency-Key": key})

    rest = [f"channel_account={world.accounts['alipay']}", "kind=trades"]
    first = upload(*rest, f"date={days[0]}")
    assert first.status_code == 202 and "Idempotent-Replayed" not in first.headers, first.text
    for parameters in ([*rest, f"date={days[0]}"], [f"date={days[0]}", *reversed(rest)]):
        again = upload(*parameters)
        assert again.status_code == 202 and again.headers["Idempotent-Replayed"] == "true"
        assert again.content == first.content
    chunked = upload(*rest, f"date={days[0]}", body=iter([file[:100], file[100:]]))
    assert chunked.content == first.content and chunked.headers["Idempotent-Replayed"] == "true"
    for refused in (upload(*rest, f"date={days[1]}"), upload(*rest, f"date={days[0]}", body=file + b"\r\n")):
        assert refused.status_code == 422 and refused.json()["code"] == "idempotency_key_reused", refused.text
    other = upload(*rest, f"date={days[1]}", key="upload-2")
    assert other.status_code == 202 and other.json()["date"] == days[1]
    assert other.json()["id"] != first.json()["id"]


def test_a_rejected_file_is_read_again_after_the_configuration_is_corrected(world):
    account = json.loads((world.upstream.data / "alipay/merchant/account.json").read_text("utf-8"))
    date = (datetime.date.fromisoformat(world.today()) - datetime.timedelta(days=20)).isoformat()
    file = alipay_file(Claim(date, "of-another-system", account)).encode("utf-8")
    settings = world.server_settings()

    def upload(status):
        path = f"/v1/statements?channel_account={world.accounts['alipay']}&kind=trades&date={date}"
        made = world.operator.request("POST", path, data=file)
        assert made.status_code == status, made.text
        path = f"/v1/statements/{made.json()['id']}"
        until(lambda: world.operator.get(path)["state"] in ("matched", "rejected"), "the upload is read")
        return world.operator.get(path)

    world.restart(settings.replace(account["seller_id"], "2088000000000000"))
    rejected = upload(202)
    assert rejected["state"] == "rejected" and "is not the account" in rejected["failure"], rejected
    world.restart(settings)
    read = upload(202)
    assert (read["id"], read["version"], read["state"], read["lines"]) == (rejected["id"], 1, "matched", 1), read
    assert "failure" not in read and read["received_at"] > rejected["received_at"], read
    assert upload(200) == read, "the same file again changes nothing"

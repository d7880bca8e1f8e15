"""A day with captures is closed with the statements of the simple channel and of Alipay: each line is compared with the
receipt of its capture, and what the books lack is booked."""

import collections
import uuid

import pytest

from statement_world import BASIS_POINTS, statement_world
from wait import until

AMOUNT, HALF = 10_000, 4_000
CHANNELS = ["sandbox", "alipay"]


def held_order(world, channel, scenario="authorizes"):
    """Creates an order and waits until its amount is held. Returns its authorization."""
    order = world.order(channel, scenario, AMOUNT, capture_method="manual")
    found = world.shop.order_when(order["id"], lambda now: now["state"] in {"authorized", "succeeded"}, "is held", 60)
    return found["authorizations"][-1]


def captured(world, hold, amount=None, final=True):
    body = {"merchant_capture_no": uuid.uuid4().hex, "final": final} | ({"amount": amount} if amount else {})
    made = world.shop.post(f"/v1/authorizations/{hold['id']}/captures", body, expect=201)

    def done():
        now = world.shop.get(f"/v1/captures/{made['id']}")
        return now if now["state"] == "succeeded" else None

    return until(done, f"{made['id']} has succeeded", 60)


def refunded(world, capture, amount):
    body = {"capture": capture["id"], "amount": amount, "merchant_refund_no": uuid.uuid4().hex}
    refund = world.shop.post("/v1/refunds", body, expect=201)
    return world.shop.refund_when_final(refund["id"], timeout=60)


def captures_in_console(world, channel):
    """An employee captures the whole in the channel's console. Returns the capture."""
    hold = held_order(world, channel, "captured_by_channel")
    order = world.shop.order_when_final(hold["order"], timeout=60)
    [[capture]] = [one["captures"] for one in order["authorizations"]]
    assert capture["origin"] == "channel"
    return capture


@pytest.fixture(scope="module")
def world(contract, tmp_path_factory):
    with statement_world(tmp_path_factory.mktemp("captures"), contract, CHANNELS) as world:
        world.pass_to(12)
        for channel in CHANNELS:
            world.admin.put("/v1/channel_rates", {"channel_account": world.accounts[channel],
                                                  "basis_points": BASIS_POINTS, "from": world.today()})
        yield world


@pytest.fixture(scope="module")
def closed_day(world):
    """Returns (date, {channel: captures by name}, {channel: the refund})."""
    captures, refunds = collections.defaultdict(dict), {}
    for channel in CHANNELS:
        made = captures[channel]
        made["full"] = captured(world, held_order(world, channel))
        made["part"] = captured(world, held_order(world, channel), HALF)
        twice = held_order(world, channel)
        made["first"] = captured(world, twice, HALF, final=False)
        made["second"] = captured(world, twice)
        made["refunded"] = captured(world, held_order(world, channel))
        refunds[channel] = refunded(world, made["refunded"], 3000)
        released = held_order(world, channel)
        world.shop.post(f"/v1/authorizations/{released['id']}/release", {})
        made["console"] = captures_in_console(world, channel)
    date = world.today()
    world.pass_to(10)
    world.wait_until_compared(date)
    return date, captures, refunds


def lines_of(world, statement):
    page = world.operator.get(f"/v1/statements/{statement['id']}/lines?limit=100")
    assert not page["has_more"]
    return page["data"]


def receipt_of(world, capture):
    """Returns the id of the capture's receipt, from the entries of its order."""
    receipts = collections.defaultdict(list)
    for item in world.shop.timeline(capture["order"]):
        if item["kind"] == "event" and item["detail"].get("event") == "captured":
            current = item["object_id"]
        if item["kind"] == "entry" and item["detail"]["type"] == "receipt_accepted":
            receipts[current].append(item["detail"]["document"])
    [receipt] = set(receipts[capture["id"]])
    return receipt


@pytest.mark.parametrize("channel", CHANNELS)
def test_each_line_is_matched_with_the_receipt_of_its_capture(world, closed_day, channel):
    date, captures, refunds = closed_day
    statement = world.statement(date, channel)
    assert statement["state"] == "matched", statement
    lines = {(line["kind"], line["channel_trade_no"]): line for line in lines_of(world, statement)}
    for name, capture in captures[channel].items():
        if "channel_trade_no" not in capture:
            continue
        line = lines.pop(("payment", capture["channel_trade_no"]))
        assert line["match"] == receipt_of(world, capture) and "difference" not in line, (name, line)
        assert (line["out_trade_no"], line["amount"]) == (capture["out_trade_no"], capture["amount"])
    refund = lines.pop(("refund", captures[channel]["refunded"]["channel_trade_no"]))
    assert refund["match"] == refunds[channel]["id"] and "difference" not in refund
    assert len(lines) == (channel == "alipay"), "a hold and its release have no line"


@pytest.mark.parametrize("channel", CHANNELS)
def test_the_channel_charges_for_each_capture_and_not_for_the_hold(world, closed_day, channel):
    date, captures, _ = closed_day
    lines = {line["channel_trade_no"]: line for line in lines_of(world, world.statement(date, channel))
             if line["kind"] == "payment"}
    for capture in captures[channel].values():
        if "channel_trade_no" in capture:
            fee = float(lines[capture["channel_trade_no"]]["fee"]) * 100
            assert fee == capture["amount"] * BASIS_POINTS / 10_000, capture
    assert not [row for row in world.differences(date, channel) if row["class"] == "cost_mismatch"]


def test_captures_with_numbers_leave_no_difference(world, closed_day):
    date = closed_day[0]
    assert world.differences(date, "sandbox") == []
    counts = world.operator.get(f"/v1/statements/{world.statement(date)['id']}")["counts"]
    assert counts == {"matched": 7, "repaired": 0, "carried": 0, "differences": 0}
    world.proven(date)


def test_a_console_capture_with_numbers_is_booked_once(world, closed_day):
    """Its line names no number of Finality. Its receipt is found by the number of the trade."""
    date, captures, _ = closed_day
    console = captures["sandbox"]["console"]
    lines = lines_of(world, world.statement(date))
    [line] = [line for line in lines if line["out_trade_no"] == console["out_trade_no"]]
    assert line["out_trade_no"].startswith("sbk"), "the channel's number"
    assert line["match"] == receipt_of(world, console) and "difference" not in line, line
    unknown = [row for row in world.operator.all("/v1/unknown_receipts") if row["channel"] == "sandbox"]
    assert unknown == []


def test_a_console_capture_that_alipay_reported_as_a_total_is_an_unknown_receipt_too(world, closed_day):
    """docs/guide/alipay-wechatpay.md: the query contains only the captured total, and the bill contains the trade."""
    date, captures, _ = closed_day
    console = captures["alipay"]["console"]
    found = {row["class"]: row for row in world.differences(date, "alipay")}
    assert {name: row["state"] for name, row in found.items()} == {
        "unknown_receipt": "repaired", "missing_at_channel": "carried", "trade_without_funds": "carried"}
    assert found["missing_at_channel"]["document"] == receipt_of(world, console)
    [unknown] = [row for row in world.operator.all("/v1/unknown_receipts")
                 if row["id"] == found["unknown_receipt"]["repaired_by"]]
    assert unknown["amount"] == console["amount"] == AMOUNT
    assert "channel_trade_no" not in console, "the trade is not known"

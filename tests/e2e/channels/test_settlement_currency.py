"""Payments that the channel settles in another currency, an hour later: the object `channel_settlement`, the converted
balances, and both values of `merchant_currency`."""

import collections
import dataclasses

import pytest

from api import Api
from finality_server import ConfiguredServer
from recording_proxy import RecordingProxy
from wait import until

AMOUNT = 100_000
REFUND = 30_000
SCENARIO = "settled_in_other_currency"
CHANNELS = {"sandbox": "presentment", "sandbox2": "settlement"}

SETTINGS = """
[channels.{name}]
kind = "sandbox"
url = "{way}"
secret_file = "{secret}"
merchant_currency = "{mode}"
"""


@dataclasses.dataclass
class World:
    """Test environment: `upstream` is the demo whose sandbox is used, `api` a merchant of the tested server. Both
    servers use one clock."""

    upstream: object
    server: ConfiguredServer
    notified: RecordingProxy  # from the sandbox to the tested server
    admin: Api
    api: Api

    def paid(self, channel):
        order = self.api.create_order(amount=AMOUNT, payment={"channel": channel, "scenario": SCENARIO})
        order = self.api.order_when_final(order["id"])
        assert order["state"] == "succeeded", order
        return order

    def pass_an_hour(self):
        self.upstream.advance("61m")

    def balances(self, order):
        """Returns {(account kind, currency): sum of the order's entries}, without sums of zero."""
        sums = collections.Counter()
        for item in self.api.timeline(order["id"]):
            if item["kind"] == "entry":
                sums[item["detail"]["account_kind"], item["detail"]["currency"]] += item["detail"]["amount"]
        return {key: amount for key, amount in sums.items() if amount != 0}

    def settlement_of(self, path):
        """Waits until the payment or refund at `path` is settled, and returns its settlement."""
        return until(lambda: self.api.get(path).get("channel_settlement"), f"{path} is settled")


@pytest.fixture(scope="module")
def world(contract, start_server, tmp_path_factory):
    upstream = start_server("settlement-upstream", own_keys=True)
    server = ConfiguredServer(tmp_path_factory.mktemp("settlement"), clock=True)
    server.clock_file = upstream.clock_file
    notified = RecordingProxy(server.base_url)
    secret = upstream.keys / "sandbox.secret"
    settings = "".join(SETTINGS.format(name=name, way=upstream.demo["sandbox_url"], secret=secret, mode=mode)
                       for name, mode in CHANNELS.items())
    server.configure(settings, notified.url)
    try:
        server.start()
        admin = Api(contract, server.base_url, server.admin_key)
        merchant = admin.post("/v1/merchants", {"name": "exporter"}, expect=201)
        key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
        yield World(upstream, server, notified, admin, Api(contract, server.base_url, key["key"]))
        server.stop()
        server.verify()
    finally:
        server.clean_up()
        notified.stop()


@pytest.mark.parametrize("channel", CHANNELS)
def test_channel_accounts_show_the_merchants_currency(world, channel):
    [row] = [row for row in world.admin.all("/v1/channel_accounts") if row["channel"] == channel]
    assert row["merchant_currency"] == CHANNELS[channel]


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_payment_is_converted_when_the_channel_reports_its_settlement(world, channel):
    order = world.paid(channel)
    [payment] = order["payments"]
    path = f"/v1/payments/{payment['id']}"
    assert "channel_settlement" not in world.api.get(path)
    assert world.balances(order) == {("channel_receivable", "CNY"): -AMOUNT, ("merchant_payable", "CNY"): AMOUNT}
    world.pass_an_hour()
    settled = world.settlement_of(path)
    assert settled["currency"] == "USD" and settled["net"] == settled["amount"] - settled["fee"]
    assert settled["amount"] != round(AMOUNT * float(settled["exchange_rate"])), "the rate is only for display"
    shown = world.api.get(path)
    assert shown["receipts"][0]["channel_settlement"] == settled
    assert world.api.order(order["id"])["payments"][0]["channel_settlement"] == settled
    expected = {("channel_receivable", "USD"): -settled["net"], ("channel_fee_expense", "USD"): -settled["fee"]}
    if CHANNELS[channel] == "settlement":
        expected["merchant_payable", "USD"] = settled["amount"]
    else:
        expected |= {("merchant_payable", "CNY"): AMOUNT, ("fx", "CNY"): -AMOUNT, ("fx", "USD"): settled["amount"]}
    assert world.balances(order) == expected


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_refund_is_converted_with_its_own_amounts(world, channel):
    order = world.paid(channel)
    [payment] = order["payments"]
    world.pass_an_hour()
    paid = world.settlement_of(f"/v1/payments/{payment['id']}")
    refund = world.api.create_refund(payment["id"], amount=REFUND)
    assert world.api.refund_when_final(refund["id"])["state"] == "succeeded"
    world.pass_an_hour()
    refunded = world.settlement_of(f"/v1/refunds/{refund['id']}")
    assert refunded["transaction_no"] != paid["transaction_no"]
    assert abs(refunded["amount"] / REFUND - paid["amount"] / AMOUNT) > 1e-4, "the rate has changed since the payment"
    [listed] = world.api.get(f"/v1/refunds?order={order['id']}")["data"]
    assert listed["channel_settlement"] == refunded
    balances = world.balances(order)
    assert balances["channel_receivable", "USD"] == refunded["net"] - paid["net"]
    assert ("channel_receivable", "CNY") not in balances
    in_cny = CHANNELS[channel] == "presentment"
    assert balances.get(("merchant_payable", "CNY"), 0) == (AMOUNT - REFUND if in_cny else 0)
    assert balances.get(("merchant_payable", "USD"), 0) == (0 if in_cny else paid["amount"] - refunded["amount"])


def test_a_repeated_notification_is_converted_once(world):
    order = world.paid("sandbox")
    world.pass_an_hour()
    path = f"/v1/payments/{order['payments'][0]['id']}"
    world.settlement_of(path)
    number = order["payments"][0]["out_trade_no"]
    notice = world.notified.wait_for(lambda one: b"trade.settled" in one.body and number.encode() in one.body,
                                     "notification of the settlement")
    before = world.balances(order)
    for _ in range(2):
        again = world.api.request("POST", "/notify/sandbox", data=notice.body, headers=dict(notice.headers))
        assert again.status_code == 200 and again.content == b"success", again.text
    assert world.balances(order) == before


def test_the_balance_is_in_both_currencies(world):
    kinds = {row["currency"]: row for row in world.api.get("/v1/balance")["data"]}
    assert kinds["CNY"]["available"] > 0 and kinds["USD"]["available"] > 0

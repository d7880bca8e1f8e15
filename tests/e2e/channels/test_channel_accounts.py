"""Two merchants each have an account at Alipay and an account at WeChat Pay. Payments, keys and notifications of a
merchant use only the accounts of this merchant."""

import concurrent.futures
import dataclasses
import json

import pytest

from api import Api
from recording_proxy import RecordingProxy, CapturedResponse
from conftest import FAST
from finality_server import ConfiguredServer
from sandbox_client import SandboxClient
from shop import Shop, sums_by_kind
from wait import until

# Directories of the sandbox with the keys of the merchants `a` and `b` of this test.
DIRECTORIES = {"a": "merchant", "b": "merchant2"}
KINDS = {"alipay": ("alipay_{}", "qr"), "wechatpay": ("wechat_{}", "native")}  # channel name, method
AMOUNT = 1999

ALIPAY = """
[channels.alipay_{who}]
kind = "alipay"
merchants = ["{merchant}"]
sandbox = true
url = "{way}/gateway.do"
app_id = "{app_id}"
seller_id = "{seller_id}"
private_key_file = "{keys}/alipay/{directory}/app_private_key.pem"
alipay_public_key_file = "{keys}/alipay/{directory}/alipay_public_key.pem"
"""
WECHATPAY = """
[channels.wechat_{who}]
kind = "wechatpay"
merchants = ["{merchant}"]
sandbox = true
url = "{way}"
mchid = "{mchid}"
appid = "{appid}"
private_key_file = "{keys}/wechatpay/{directory}/private_key.pem"
certificate_file = "{keys}/wechatpay/{directory}/certificate.pem"
api_v3_key_file = "{keys}/wechatpay/{directory}/api_v3_key"
platform_certificates_file = "{keys}/wechatpay/{directory}/platform_certificate.pem"
fetch_certificates = true
"""
# Merchant b's WeChat Pay account settles to the merchant directly, so the platform does not hold this money.
DIRECT = ("b", "wechatpay")
# The sandbox's key files of merchant b's accounts.
KEYS_OF_B = ["alipay/alipay2_*", "alipay/merchant2/*", "wechatpay/*2_*", "wechatpay/api_v3_key2",
             "wechatpay/merchant2/*"]


class LossyProxy(RecordingProxy):
    """Proxy from the server to the sandbox. While `loses_queries` is set, it answers payment queries with 504."""

    def __init__(self, url):
        self.loses_queries = False
        super().__init__(url)

    def _respond(self, request):
        is_query = "method=alipay.trade.query" in request.target + request.body.decode("utf-8") or (
            request.method == "GET" and request.target.startswith("/v3/pay/transactions/"))
        return CapturedResponse(504, (), b"") if self.loses_queries and is_query else super()._respond(request)


@dataclasses.dataclass
class World:
    """Test environment: `upstream` is the demo whose sandbox is used, `server` is the tested server, `way` and
    `notified` are the proxies between them. The test calls the merchants `a` and `b`."""

    upstream: object
    server: ConfiguredServer
    way: LossyProxy
    notified: RecordingProxy  # from the sandbox to the tested server
    admin: Api
    apis: dict         # API client by merchant (`a`, `b`)
    merchants: dict    # merchant id by merchant (`a`, `b`)

    @property
    def sandbox(self):
        return SandboxClient(self.upstream.demo["sandbox_url"])

    def ids(self, kind, who):
        """Returns the ids of the merchant's account at the channel (app_id, mchid, …)."""
        file = self.upstream.keys / kind / DIRECTORIES[who] / "account.json"
        return json.loads(file.read_text(encoding="utf-8"))

    def configure(self, disabled=()):
        settings = ["time_scale = 20\n"]
        for who in self.apis:
            known = {"who": who, "merchant": self.merchants[who], "directory": DIRECTORIES[who], "way": self.way.url,
                     "keys": self.upstream.keys}
            for kind, template in [("alipay", ALIPAY), ("wechatpay", WECHATPAY)]:
                settings.append(template.format(**known, **self.ids(kind, who)))
                if (who, kind) == DIRECT:
                    settings.append('funds = "merchant"\n')
                if KINDS[kind][0].format(who) in disabled:
                    settings.append("enabled = false\n")
        self.server.configure("".join(settings), self.notified.url)

    def log(self):
        return self.server.log.read_text(encoding="utf-8")

    def order(self, who, kind, scenario="pays", channel=None, expect=201):
        payment = {"channel": channel or kind, "method": KINDS[kind][1], "scenario": scenario}
        return self.apis[who].create_order(expect=expect, amount=AMOUNT, payment=payment)

    def paid(self, who, kind, **fields):
        order = self.order(who, kind, **fields)
        order = self.apis[who].order_when_final(order["id"])
        assert order["state"] == "succeeded", order
        return order

    def paid_by_all(self, **fields):
        """Concurrently creates and pays one order per merchant and channel kind. Returns {(merchant, kind): order}."""
        cases = [(who, kind) for who in self.apis for kind in KINDS]
        with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
            return dict(zip(cases, pool.map(lambda case: self.paid(*case, **fields), cases)))

    def account_of(self, who, kind):
        """Returns the channel account with the fields that only operators see."""
        rows = self.admin.all("/v1/channel_accounts")
        [row] = [row for row in rows if row["channel"] == KINDS[kind][0].format(who)]
        return row


def new_client(contract, server, admin, who):
    merchant = admin.post("/v1/merchants", {"name": f"shop {who}"}, expect=201)
    key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
    return merchant["id"], Api(contract, server.base_url, key["key"])


@pytest.fixture(scope="module")
def world(contract, start_server, tmp_path_factory):
    """Builds the environment. The server first starts without channels to create the merchants, because the settings of
    channels contain merchant ids."""
    upstream = start_server("accounts-upstream", FAST, own_keys=True)
    server = ConfiguredServer(tmp_path_factory.mktemp("accounts"))
    way, notified = LossyProxy(upstream.demo["sandbox_url"]), RecordingProxy(server.base_url)
    try:
        server.start()
        admin = Api(contract, server.base_url, server.admin_key)
        made = {who: new_client(contract, server, admin, who) for who in DIRECTORIES}
        server.stop()
        world = World(upstream, server, way, notified, admin, {who: api for who, (_, api) in made.items()},
                      {who: merchant for who, (merchant, _) in made.items()})
        world.configure()
        server.start()
        yield world
        server.stop()
        server.verify()
    finally:
        server.clean_up()
        notified.stop()
        way.stop()


@pytest.fixture(scope="module")
def orders(world):
    """Orders that only notifications can have completed, because every payment query failed."""
    world.way.loses_queries = True
    try:
        return world.paid_by_all()
    finally:
        world.way.loses_queries = False


# The tests must run in this order, because the last tests change keys and settings.

CASES = [(who, kind) for who in DIRECTORIES for kind in KINDS]


@pytest.mark.parametrize("who, kind", CASES)
def test_a_kind_is_paid_over_the_account_that_serves_the_merchant(world, orders, who, kind):
    order = orders[who, kind]
    [payment] = order["payments"]
    row = world.account_of(who, kind)
    assert payment["channel"] == row["channel"] == KINDS[kind][0].format(who)
    assert payment["channel_account"] == row["id"] and row["id"].startswith("cha_")
    assert row["kind"] == kind and row["merchants"] == [world.merchants[who]] and row["state"] == "enabled"
    trade = world.sandbox.trade_of(payment)
    ids = world.ids(kind, who)
    assert trade["channel"] == kind and trade["account"] == ids["app_id" if kind == "alipay" else "mchid"]
    Shop.check_money(order, world.sandbox.ledger())


def test_every_channel_account_has_its_own_id(orders):
    accounts = {payment["channel_account"] for order in orders.values() for payment in order["payments"]}
    assert len(accounts) == len(orders) == 4


@pytest.mark.parametrize("who, kind", CASES)
def test_only_money_of_the_platform_is_payable_to_the_merchant(world, who, kind):
    api, (mine, other) = world.apis[who], ("merchant_payable", "merchant_direct")
    if (who, kind) == DIRECT:
        mine, other = other, mine
    assert world.account_of(who, kind)["funds"] == ("merchant" if (who, kind) == DIRECT else "platform")
    order = world.paid(who, kind)
    assert sums_by_kind(api, order) == {"channel_receivable": -AMOUNT, mine: AMOUNT}
    refund = api.create_refund(order["payments"][0]["id"], amount=1000)
    assert api.refund_when_final(refund["id"])["state"] == "succeeded"
    assert sums_by_kind(api, order) == {"channel_receivable": 1000 - AMOUNT, mine: AMOUNT - 1000}
    kinds = {item["detail"]["account_kind"] for item in api.timeline(order["id"]) if item["kind"] == "entry"}
    assert other not in kinds


@pytest.mark.parametrize("who, kind", CASES)
def test_notifications_are_sent_to_the_path_of_the_channel_account(world, orders, who, kind):
    order = orders[who, kind]
    assert "notification" in {item["kind"] for item in world.apis[who].timeline(order["id"])}
    name = KINDS[kind][0].format(who)
    captured = world.notified.wait_for(lambda one: one.target == f"/notify/{name}", f"notification to {name}")
    if kind == "alipay":
        assert captured.form["app_id"] == world.ids(kind, who)["app_id"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("of, to", [("a", "b"), ("b", "a")])
def test_a_notification_of_another_account_is_refused(world, orders, kind, of, to):
    own, other = (KINDS[kind][0].format(who) for who in (of, to))
    genuine = world.notified.wait_for(lambda one: one.target == f"/notify/{own}", f"notification to {own}")
    headers = {name: value for name, value in genuine.headers.items()
               if name.lower() == "content-type" or name.lower().startswith("wechatpay-")}
    before = world.apis[of].order(orders[of, kind]["id"])
    response = world.apis[of].request("POST", f"/notify/{other}", data=genuine.body, headers=headers)
    assert response.status_code == 401 and response.content != b"success", response.text
    assert world.apis[of].order(before["id"]) == before
    again = world.apis[of].request("POST", f"/notify/{own}", data=genuine.body, headers=headers)
    assert again.status_code in (200, 204), again.text


@pytest.mark.parametrize("who, kind", CASES)
def test_a_refund_uses_the_channel_account_of_its_payment(world, orders, who, kind):
    api = world.apis[who]
    [payment] = orders[who, kind]["payments"]
    refund = api.refund_when_final(api.create_refund(payment["id"], amount=500)["id"])
    assert refund["state"] == "succeeded" and refund["channel_account"] == payment["channel_account"]
    trade = world.sandbox.trade_of(payment)
    assert (trade["paid"], trade["refunded"]) == (AMOUNT, 500)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("who, whose", [("a", "b"), ("b", "a")])
def test_another_merchants_channel_account_is_refused(world, kind, who, whose):
    api = world.apis[who]
    foreign, method = KINDS[kind][0].format(whose), KINDS[kind][1]
    problem = world.order(who, kind, channel=foreign, expect=400)
    assert problem["code"] == "invalid_request" and problem["param"] == "payment.channel"
    assert KINDS[kind][0].format(who) in problem["detail"] and foreign not in problem["detail"]
    order = api.create_order(amount=AMOUNT)
    problem = api.create_payment(order["id"], channel=foreign, method=method, expect=400)
    assert problem["code"] == "invalid_request" and problem["param"] == "channel"
    assert foreign not in problem["detail"]
    assert api.order(order["id"])["payments"] == []
    api.close(order["id"])


@pytest.mark.parametrize("who, whose", [("a", "b"), ("b", "a")])
def test_a_merchant_sees_its_own_accounts_and_an_operator_all(world, who, whose):
    own, foreign = ({names.format(one) for names, _ in KINDS.values()} for one in (who, whose))
    rows = {row["channel"]: row for row in world.apis[who].all("/v1/channel_accounts")}
    assert own <= rows.keys() and not foreign & rows.keys()
    assert all("merchants" not in row for row in rows.values())
    all_rows = {row["channel"]: row for row in world.admin.all("/v1/channel_accounts")}
    assert own | foreign <= all_rows.keys()
    for name in foreign:
        world.apis[who].get(f"/v1/channel_accounts/{all_rows[name]['id']}", expect=404)
    for name in own:
        assert world.apis[who].get(f"/v1/channel_accounts/{rows[name]['id']}") == rows[name]


def test_new_keys_of_one_account_do_not_affect_the_other(world):
    world.upstream.kill_sandbox()
    for file in [file for pattern in KEYS_OF_B for file in world.upstream.keys.glob(pattern)]:
        file.unlink()
    world.upstream.start_sandbox()  # the sandbox generates the missing keys at its start
    for kind in KINDS:
        world.paid("a", kind)
    for names, _ in KINDS.values():
        until(lambda: f'msg="channel keys reloaded" channel={names.format("b")}\n' in world.log(),
              f"the server has read the new keys of {names.format('b')}", 30.0)
    world.paid_by_all()
    for names, _ in KINDS.values():
        assert f'reloaded" channel={names.format("a")}\n' not in world.log()
        assert f'stay in use" channel={names.format("a")} ' not in world.log()


def test_a_disabled_account_refuses_payments_and_still_refunds(world, orders):
    world.server.stop()
    world.configure(disabled=["wechat_a"])
    world.server.start()
    assert world.account_of("a", "wechatpay")["state"] == "disabled"
    for word in ("wechat_a", "wechatpay"):
        problem = world.order("a", "wechatpay", channel=word, expect=400)
        assert problem["code"] == "invalid_request" and problem["param"] == "payment.channel"
    for who, kind in CASES:
        if (who, kind) != ("a", "wechatpay"):
            world.paid(who, kind)
    api = world.apis["a"]
    [payment] = orders["a", "wechatpay"]["payments"]
    refund = api.refund_when_final(api.create_refund(payment["id"])["id"])  # the remaining refundable amount
    assert refund["state"] == "succeeded" and refund["amount"] == AMOUNT - 500
    assert refund["channel_account"] == payment["channel_account"]
    trade = world.sandbox.trade_of(payment)
    assert trade["refunded"] == trade["paid"] == AMOUNT

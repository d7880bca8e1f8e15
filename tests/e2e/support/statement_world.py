"""Environment of the tests about balances: a server and a sandbox with one movable clock, channels that pay withdrawals
to one bank account, a merchant, and two operators who close one day after the other."""

import contextlib
import copy
import datetime
import json
import os
import shutil
import subprocess

import requests

from api import Api
from finality_server import BINARY, ConfiguredServer, SandboxProcess
from sandbox_client import SandboxClient
from store_place import copy_store
from wait import until

CHINA = datetime.timezone(datetime.timedelta(hours=8))
BANK = "bank"                    # name of the bank account
PLATFORM = "mer_0000000000001"
BASIS_POINTS = 60                # what the sandbox's channels keep
SPEED = 10                       # time scale: the server looks for due statements every 100 ms
COMPARED_S = 60.0                # until a statement that the channel has is compared
COMPARED = ("matched", "empty")
METHODS = {"sandbox": None, "alipay": "qr", "wechatpay": "native"}

COMMON = """
time_scale = {speed}
[webhooks]
allow_private = ["127.0.0.1"]
[statements]
key_file = "{folder}/statements.secret"
[bank_accounts.bank]
currency = "CNY"
number = "SANDBOX-CNY"
"""
CHANNELS = {
    "sandbox": """
[channels.sandbox]
kind = "sandbox"
url = "{url}"
secret_file = "{secret}"
""",
    "sandbox2": """
[channels.sandbox2]
kind = "sandbox"
url = "{url}"
secret_file = "{secret}"
""",
    "alipay": """
[channels.alipay]
kind = "alipay"
sandbox = true
url = "{url}/gateway.do"
app_id = "{app_id}"
seller_id = "{seller_id}"
private_key_file = "{keys}/app_private_key.pem"
alipay_public_key_file = "{keys}/alipay_public_key.pem"
""",
    "wechatpay": """
[channels.wechatpay]
kind = "wechatpay"
sandbox = true
url = "{url}"
mchid = "{mchid}"
appid = "{appid}"
private_key_file = "{keys}/private_key.pem"
certificate_file = "{keys}/certificate.pem"
api_v3_key_file = "{keys}/api_v3_key"
platform_certificates_file = "{keys}/platform_certificate.pem"
fetch_certificates = true
"""}


@contextlib.contextmanager
def statement_world(directory, contract, channels, before_start=None):
    """Runs the environment until the block ends, then audits the store. Yields the StatementWorld. `channels`: names of
    the channels. `before_start(world)` is called while only the sandbox runs."""
    with contextlib.ExitStack() as parts:
        world = StatementWorld(parts, directory, contract, channels, before_start)
        yield world
        world.close()


class StatementWorld:
    """The environment. Days are those of China, in which the channels of the sandbox cut their statements."""

    def __init__(self, parts, directory, contract, channels, before_start):
        self.channels = channels
        (directory / "serve").mkdir(parents=True)
        (directory / "serve/statements.secret").write_text("a secret of thirty-two characters", encoding="ascii")
        self.server = ConfiguredServer(directory / "serve", clock=True)
        parts.callback(self.server.clean_up)
        self.upstream = SandboxProcess(directory / "sandbox", SPEED, self.server.clock_file)
        parts.callback(self.upstream.clean_up)
        self.upstream.start()
        self.sandbox = SandboxClient(self.upstream.url)
        self.gateway_url = self.upstream.url  # of the channels, for the server
        if before_start:
            before_start(self)
        self.server.configure(self.server_settings())
        self.server.start()
        self._make_keys(contract)

    def close(self):
        self.server.stop()
        self.upstream.stop()
        self.server.verify()

    def copy(self, parts, directory, gateway_url):
        """Starts another server with a copy of the store, whose channels are at `gateway_url`. Returns its world, with
        the same clock and the same sandbox. REQUIRES: the server is stopped."""
        twin = copy.copy(self)
        (directory / "serve").mkdir(parents=True)
        shutil.copy(self.server.data / "statements.secret", directory / "serve")
        copy_store(self.server.data, directory / "serve")
        twin.server = ConfiguredServer(directory / "serve", clock=True)
        parts.callback(twin.server.clean_up)
        twin.server.clock_file = self.server.clock_file
        twin.gateway_url = gateway_url
        twin.server.configure(twin.server_settings())
        twin.server.start()
        twin.operator = Api(self.operator.contract, twin.server.base_url, self._keys["operator"])
        return twin

    def restart(self, settings):
        """Restarts the server with these settings."""
        self.server.stop()
        self.server.configure(settings)
        self.server.start()

    def server_settings(self):
        """Returns the settings of the server, for its channels."""
        settings = COMMON.format(speed=SPEED, folder=self.server.data)
        for channel in self.channels:
            keys = self.upstream.data / channel / "merchant"
            ids = json.loads((keys / "account.json").read_text("utf-8")) if keys.exists() else {}
            values = ids | {"url": self.gateway_url, "secret": self.upstream.secret_file, "keys": keys}
            settings += CHANNELS[channel].format(**values)
        return settings

    def _make_keys(self, contract):
        self.admin = Api(contract, self.server.base_url, self.server.admin_key)
        self.merchant = self.admin.post("/v1/merchants", {"name": "shop"}, expect=201)["id"]
        key = self.admin.post("/v1/api_keys", {"merchant": self.merchant, "name": "till"}, expect=201)
        self.shop = Api(contract, self.server.base_url, key["key"])
        self._keys = {role: self.admin.post("/v1/api_keys", {"role": role, "name": role}, expect=201)["key"]
                      for role in ("operator", "approver")}
        self.operator = Api(contract, self.server.base_url, self._keys["operator"])
        self.accounts = {row["channel"]: row["id"] for row in self.admin.all("/v1/channel_accounts")}

    # The clock.

    def now(self):
        return datetime.datetime.fromtimestamp(self.server.now(), CHINA)

    def today(self):
        return self.now().date().isoformat()

    def pass_to(self, hour, minute=30):
        """Advances the clock to the next time of that hour and minute."""
        now = self.now()
        then = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        then += datetime.timedelta(days=then <= now)
        self.server.advance(f"{int((then - now).total_seconds()) + 1}s")

    # Payments, and what happens at the channel and at the bank.

    def order(self, channel="sandbox", scenario="pays", amount=10_000, **fields):
        payment = {"channel": channel, "scenario": scenario}
        if METHODS.get(channel):
            payment["method"] = METHODS[channel]
        return self.shop.create_order(amount=amount, payment=payment, **fields)

    def paid(self, channel="sandbox", scenario="pays", amount=10_000, **fields):
        order = self.order(channel, scenario, amount, **fields)
        return self.shop.order_when_final(order["id"], timeout=60)

    def refunded(self, order, amount):
        refund = self.shop.create_refund(order["payments"][0]["id"], amount=amount)
        return self.shop.refund_when_final(refund["id"], timeout=60)

    def set_fault(self, fault, channel="sandbox", date=None):
        self.sandbox.set_fault(channel, date or self.today(), fault)

    def withdraw(self, amount, channel="sandbox"):
        return self.sandbox.act_on_statements(channel, "withdraw", currency="CNY", amount=amount)["movement"]

    def balance_at(self, channel):
        """Returns the balance in CNY that the sandbox has of the channel account."""
        return self.sandbox.statements_of(channel)["balances"].get("CNY", 0)

    # Statements and differences.

    def statement(self, date, channel="sandbox", kind="trades", states=COMPARED):
        """Waits for the newest version of the statement in one of the states."""
        def look():
            rows = self.operator.all("/v1/statements", channel_account=self.accounts[channel],
                                     **{"from": date, "to": date})
            rows = [row for row in rows if row["kind"] == kind]
            return rows[0] if rows and rows[0]["state"] in states else None
        return until(look, f"the statement of {kind} of {channel} of {date} is {states}", timeout=COMPARED_S)

    def fetch(self, date, channel="sandbox", kind="trades"):
        """Downloads the statement again and waits until the newest version is compared."""
        known = self.statement(date, channel, kind)
        self.operator.post("/v1/statements/fetch",
                           {"channel_account": self.accounts[channel], "kind": kind, "date": date}, expect=202)

        def look():
            newest = self.statement(date, channel, kind)
            fetched = self.operator.get(f"/v1/statements/{known['id']}")["tries"] > known["tries"]
            return newest if "due_at" not in newest and (fetched or newest["id"] != known["id"]) else None
        return until(look, f"the statement of {kind} of {channel} of {date} is fetched again", timeout=COMPARED_S)

    def close_day(self):
        """Ends the current day: passes to the next morning, waits until all its statements are compared, and imports
        the bank's statement of the day. Returns the date of the day."""
        date = self.today()
        self.pass_to(10)
        self.wait_until_compared(date)
        self.import_bank_statement(date)
        return date

    def wait_until_compared(self, date, channels=None):
        for channel in channels or self.channels:
            for kind in ("trades", "funds"):
                self.statement(date, channel, kind)

    def import_bank_statement(self, date):
        """Imports the bank's statement of the day and waits until it is compared. None: the bank has no account yet."""
        file = self.upstream.data / f"bank-{date}.xml"
        response = requests.get(f"{self.upstream.url}/bank/statement?date={date}", timeout=10)
        if response.status_code == 404 and response.json()["code"] == "no_statement":
            return None
        assert response.status_code == 200, response.text
        file.write_bytes(response.content)
        done = self.run("statements", "import", file, "--channel", BANK, "--kind", "bank", "--date", date,
                        "--no-wait")
        assert done.returncode == 0 and f"bank statement of {BANK}" in done.stdout, done.stderr
        statement = self.statement(date, BANK, "bank", ("matched", "rejected"))
        assert statement["state"] == "matched", statement
        return statement

    def run(self, *arguments):
        """Runs a command of the program that uses the API, with the operator's key."""
        return subprocess.run([BINARY, *arguments, "--server", self.server.base_url], capture_output=True, text=True,
                              timeout=60, env=os.environ | {"FINALITY_KEY": self._keys["operator"]})

    def reconcile(self, *arguments):
        """Runs `finality reconcile` on the store."""
        return subprocess.run([BINARY, "reconcile", "--store", self.server.store, "--clock", self.server.clock_file,
                               *arguments], capture_output=True, text=True, timeout=60)

    def reconcile_on_server(self, *arguments):
        """Runs `finality reconcile` over the API of the server."""
        return subprocess.run([BINARY, "reconcile", "--server", self.server.base_url, *arguments], capture_output=True,
                              text=True, timeout=60,
                              env=os.environ | {"FINALITY_KEY": self.operator.headers["Authorization"].split()[1]})

    def reconciliation(self, channel="sandbox", first=None, last=None):
        """Returns the rows of the days, by default of yesterday."""
        days = {name: day for name, day in (("from", first), ("to", last)) if day}
        query = days | {"channel_account": self.accounts[channel]}
        return self.operator.get("/v1/reconciliation", params=query)["data"]

    def proven(self, date, channel="sandbox"):
        """Returns the row of the day in CNY. Its proof must add up, without an unexplained amount."""
        [row] = [row for row in self.reconciliation(channel, date, date) if row["currency"] == "CNY"]
        check_proof(row)
        return row

    def differences(self, date=None, channel=None, **query):
        if channel:
            query["channel_account"] = self.accounts[channel]
        if date:
            query["date"] = date
        return self.operator.all("/v1/differences", **query)

    # Two operators.

    def of(self, role, merchant=None):
        """Returns a client of the operator or approver, who acts for the merchant, by default the platform."""
        return self.operator.as_operator(self._keys[role], merchant or PLATFORM)

    def resolve(self, case, merchant, resolution):
        """One operator proposes the resolution, another one approves it."""
        note = {"resolution": resolution, "note": "checked at the channel"}
        self.of("operator", merchant).post(f"/v1/cases/{case}/propose", note)
        self.of("approver", merchant).approve(f"/v1/cases/{case}", {"resolution": resolution})

    def resolve_difference(self, difference, resolution):
        self.resolve(self.case_of(difference), difference.get("merchant"), resolution)
        shown = self.operator.get(f"/v1/differences/{difference['id']}")
        assert shown["state"] == "resolved", shown

    def case_of(self, difference):
        return self.operator.get(f"/v1/differences/{difference['id']}")["case"]

    def adjust_opening_balance(self, account, channel, amount):
        """Two operators post an opening balance of the platform."""
        body = {"type": "opening_balance", "account": account, "channel": channel, "currency": "CNY", "amount": amount,
                "note": "statement of the day before"}
        made = self.of("operator").post("/v1/adjustments", body, expect=201)
        assert self.of("approver").approve(f"/v1/adjustments/{made['id']}")["state"] == "posted"


def check_proof(row):
    """Checks that the items of the proof add up to the difference between statement and books."""
    if "proof" not in row:
        return
    proof = row["proof"]
    assert proof["unexplained"] == 0, row
    assert sum(item["amount"] for item in proof["items"]) == proof["statement"] - proof["books"], row


def next_day(date, days=1):
    return (datetime.date.fromisoformat(date) + datetime.timedelta(days=days)).isoformat()

"""A day of payments with faults is closed with the statement of the simple channel: every fault is found once, in its
class, and what the books lack is booked."""

import collections
import dataclasses
import datetime
import hashlib
import hmac
import json
import os
import subprocess

import pytest
import requests

from api import Api
from finality_server import BINARY
from sandbox_signature import secret_of
from wait import until

AMOUNT = 10_000
CHINA = datetime.timezone(datetime.timedelta(hours=8))
DAY_OF_MANY = ["drop_line", "double_line", "other_amount", "other_discount", "other_fee"]


@dataclasses.dataclass
class World:
    server: object
    shop: Api
    operator: Api
    approver: Api
    account: str  # id of the channel account `sandbox`

    def today(self):
        return datetime.datetime.fromtimestamp(self.server.now(), CHINA).date().isoformat()

    def pass_to(self, hour):
        """Advances the clock to the next time with that hour in China."""
        now = datetime.datetime.fromtimestamp(self.server.now(), CHINA)
        then = now.replace(hour=hour, minute=30, second=0, microsecond=0)
        then += datetime.timedelta(days=then <= now)
        self.server.advance(f"{int((then - now).total_seconds()) + 1}s")

    def paid(self, scenario="pays", **fields):
        order = self.shop.create_order(amount=AMOUNT, payment={"channel": "sandbox", "scenario": scenario}, **fields)
        return self.shop.order_when_final(order["id"])

    def statement(self, date, states):
        """Waits for the newest version of the statement of trades of that day in one of the states."""
        def look():
            rows = self.operator.all("/v1/statements", channel_account=self.account, kind="trades",
                                     **{"from": date, "to": date})
            return rows[0] if rows and rows[0]["state"] in states else None
        return until(look, f"the statement of {date} is {states}", timeout=30)

    def wait_until_paid(self, order):
        [payment] = order["payments"]

        def paid():
            return any(row["out_trade_no"] == payment["out_trade_no"] and row["state"] == "paid" for row in ledger(self))
        until(paid, "the payer has paid at the channel")

    def differences(self, date):
        return self.operator.all("/v1/differences", date=date)


@pytest.fixture(scope="module")
def world(contract, start_server):
    server = start_server("statements")
    demo = server.demo
    operator, approver, admin = (Api(contract, demo["base_url"], demo["operators"][role])
                                 for role in ("operator", "approver", "admin"))
    [account] = [row["id"] for row in operator.all("/v1/channel_accounts") if row["channel"] == "sandbox"]
    world = World(server, Api(contract, demo["base_url"], demo["secret_key"]), operator, approver, account)
    world.pass_to(12)
    admin.put("/v1/channel_rates", {"channel_account": account, "basis_points": 60, "from": world.today()})
    yield world
    server.verify()


@pytest.fixture(scope="module")
def closed_day(world):
    """A day with one order per fault, and its matched statement. Returns (date, orders by scenario, statement)."""
    date = world.today()
    orders = {scenario: world.paid(scenario) for scenario in DAY_OF_MANY}
    orders["pays"] = world.paid()
    orders["refunded"] = world.paid()
    refund = world.shop.create_refund(orders["refunded"]["payments"][0]["id"], amount=3000)
    assert world.shop.refund_when_final(refund["id"])["state"] == "succeeded"
    orders["late_payment_unnotified"] = world.paid("late_payment_unnotified", attempts=1)
    assert orders["late_payment_unnotified"]["state"] == "failed"
    world.wait_until_paid(orders["late_payment_unnotified"])
    world.pass_to(10)
    return date, orders, world.statement(date, ["matched", "rejected"])


def ledger(world):
    return requests.get(world.server.demo["sandbox_url"] + "/ledger", timeout=10).json()["trades"]


def at_channel(world, path, body):
    """Sends a signed request to the sandbox's simple channel, as another system of the platform would."""
    text = json.dumps(body)
    stamp = str(int(world.server.now()))
    signature = hmac.new(secret_of(world.server), "\n".join(["POST", path, stamp, text]).encode(), hashlib.sha256)
    headers = {"Sandbox-Timestamp": stamp, "Sandbox-Signature": signature.hexdigest(),
               "Content-Type": "application/json"}
    answer = requests.post(world.server.demo["sandbox_url"] + path, data=text, headers=headers, timeout=10)
    assert answer.status_code == 200, answer.text
    return answer.json()


def trade_at_channel(world, out_trade_no, scenario):
    trade = at_channel(world, "/sandbox/trades", {
        "out_trade_no": out_trade_no, "amount": AMOUNT, "currency": "CNY", "subject": "Till",
        "notify_url": "http://127.0.0.1:9/", "scenario": scenario})["trade"]
    until(lambda: [row for row in ledger(world) if row["trade_no"] == trade["trade_no"] and row["state"] == "paid"],
          "the trade is paid")
    return trade["trade_no"]


def refund_at_channel(world, trade_no, number, amount):
    at_channel(world, "/sandbox/refunds", {"out_refund_no": number, "trade_no": trade_no, "amount": amount,
                                           "currency": "CNY"})


def by_class(differences):
    return collections.Counter((row["class"], row["state"]) for row in differences)


def test_the_statement_counts_its_lines(world, closed_day):
    date, orders, statement = closed_day
    assert statement["state"] == "matched", statement
    assert statement["source"] == "fetched" and statement["version"] == 1 and statement["kind"] == "trades"
    shown = world.operator.get(f"/v1/statements/{statement['id']}")
    # One line each, but none for the missing line and two for the doubled one, and the line of the refund.
    assert shown["lines"] == len(orders) - 1 + 1 + 1
    assert shown["counts"] == {"matched": 4, "repaired": 1, "carried": 1, "differences": 4}
    [total] = shown["totals"]
    assert total["payments"] == len(orders) and total["refunds"] == 1 and total["refunded"] == 3000
    assert total["paid"] == len(orders) * AMOUNT + 1


def test_every_fault_is_found_once_in_its_class(world, closed_day):
    date, orders, _ = closed_day
    assert by_class(world.differences(date)) == {
        ("missing_at_channel", "carried"): 1, ("duplicate_at_channel", "open"): 1, ("amount_mismatch", "open"): 1,
        ("discount_mismatch", "open"): 1, ("cost_mismatch", "open"): 1, ("late_status", "repaired"): 1}
    found = {row["class"]: row for row in world.differences(date)}
    assert found["missing_at_channel"]["order"] == orders["drop_line"]["id"]
    assert found["missing_at_channel"]["amount"] == -AMOUNT
    assert found["amount_mismatch"]["order"] == orders["other_amount"]["id"]
    assert (found["amount_mismatch"]["ours"], found["amount_mismatch"]["theirs"]) == (AMOUNT, AMOUNT + 1)
    assert found["cost_mismatch"]["order"] == orders["other_fee"]["id"]


def test_a_payment_that_only_the_statement_reports_is_booked_and_returned(world, closed_day):
    date, orders, _ = closed_day
    [difference] = [row for row in world.differences(date) if row["class"] == "late_status"]
    order = orders["late_payment_unnotified"]
    assert difference["order"] == order["id"] and difference["repaired_by"].startswith("rcp_")

    def returned():
        [payment] = world.shop.order(order["id"])["payments"]
        return payment["reversed_amount"] == AMOUNT
    until(returned, "the late payment is returned")
    causes = {row["cause"]["kind"] for row in world.shop.all("/v1/events", object=order["payments"][0]["id"])}
    assert "statement" in causes


def test_every_line_of_the_channel_is_compared_with_the_books_as_they_are_then(world):
    world.pass_to(12)
    date = world.today()
    # Both lines of an unknown trade, and a payment with its refund that only the statement reports.
    foreign = trade_at_channel(world, "till-1", "double_line")
    order = world.paid("late_payment_unnotified", attempts=1)
    world.wait_until_paid(order)
    trade = [row for row in ledger(world) if row["out_trade_no"] == order["payments"][0]["out_trade_no"]][0]
    refund_at_channel(world, trade["trade_no"], "console-1", 300)
    world.pass_to(10)
    statement = world.statement(date, ["matched"])
    assert by_class(world.differences(date)) == {
        ("unknown_receipt", "repaired"): 1, ("duplicate_at_channel", "open"): 1, ("late_status", "repaired"): 1,
        ("external_refund", "repaired"): 1}
    # The matched line is the refund that returned the unnoticed payment of the day before.
    assert statement["counts"] == {"matched": 1, "repaired": 3, "carried": 0, "differences": 1}
    receipts = [row for row in world.operator.all("/v1/unknown_receipts") if row["channel_trade_no"] == foreign]
    assert len(receipts) == 1
    world.server.verify()


def test_the_lines_are_shown_in_pages(world, closed_day):
    _, _, statement = closed_day
    path = f"/v1/statements/{statement['id']}/lines"
    first = world.operator.get(f"{path}?limit=4")
    rest = world.operator.get(f"{path}?limit=100&starting_after={first['data'][-1]['line_no']}")
    assert first["has_more"] and not rest["has_more"]
    numbers = [row["line_no"] for row in first["data"] + rest["data"]]
    assert numbers == sorted(numbers) and len(numbers) == statement["lines"]
    assert {row["kind"] for row in first["data"] + rest["data"]} == {"payment", "refund"}


def test_a_line_shows_what_the_comparison_found(world, closed_day):
    date, orders, statement = closed_day
    path = f"/v1/statements/{statement['id']}/lines"
    lines = world.operator.get(f"{path}?limit=3")["data"]
    lines += world.operator.get(f"{path}?limit=100&starting_after={lines[-1]['line_no']}")["data"]
    by_order = collections.defaultdict(list)
    for scenario, order in orders.items():
        for line in lines:
            if line["out_trade_no"] == order["payments"][0]["out_trade_no"]:
                by_order[scenario].append(line)
    [paid] = by_order["pays"]
    assert paid["match"].startswith("rcp_") and "difference" not in paid
    assert [row["match"][:4] for row in by_order["refunded"]] == ["rcp_", "ref_"]
    found = {row["class"]: row["id"] for row in world.differences(date)}
    first, second = by_order["double_line"]
    assert "match" in first and "difference" not in first
    assert "match" not in second and second["difference"] == found["duplicate_at_channel"]
    [wrong] = by_order["other_amount"]
    assert "match" not in wrong and wrong["difference"] == found["amount_mismatch"]
    [late] = by_order["late_payment_unnotified"]
    assert "match" in late and late["difference"] == found["late_status"]
    [discounted] = by_order["other_discount"]
    assert "match" in discounted and discounted["difference"] == found["discount_mismatch"]


def test_a_merchant_lists_the_lines_of_its_own_payments(world, closed_day):
    _, _, statement = closed_day
    path = f"/v1/statements/{statement['id']}/lines?limit=100"
    assert world.shop.get(path)["data"] == world.operator.get(path)["data"], "all lines are of this merchant"
    admin = Api(world.shop.contract, world.server.demo["base_url"], world.server.demo["operators"]["admin"])
    merchant = admin.post("/v1/merchants", {"name": "other"}, expect=201)
    key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
    other = Api(world.shop.contract, world.server.demo["base_url"], key["key"])
    hidden, missing = (other.get(one, expect=404) for one in (path, "/v1/statements/stm_0000000000001/lines"))
    assert hidden["code"] == "not_found" and hidden["detail"] == missing["detail"], hidden


@pytest.mark.parametrize("after", ["-1", "x", "", "10000000000"])
def test_a_wrong_line_number_is_refused_with_its_limit(world, closed_day, after):
    path = f"/v1/statements/{closed_day[2]['id']}/lines?starting_after={after}"
    problem = world.operator.get(path, expect=400)
    assert problem["param"] == "starting_after", problem
    assert problem["detail"] == "starting_after must be an integer from 0 to 9999999999.", problem


def test_merchants_see_their_own_differences_and_no_statements(world, closed_day):
    date, _, statement = closed_day
    assert len(world.shop.all("/v1/differences", date=date)) == 6
    assert world.shop.request("GET", f"/v1/statements/{statement['id']}").status_code == 403


def test_an_open_difference_is_resolved_by_two_operators(world, closed_day):
    date, orders, _ = closed_day
    [row] = [row for row in world.differences(date) if row["class"] == "amount_mismatch"]
    difference = world.operator.get(f"/v1/differences/{row['id']}")
    merchant = difference["merchant"]
    operator, approver = (api.as_operator(api.headers["Authorization"].removeprefix("Bearer "), merchant)
                          for api in (world.operator, world.approver))
    case = operator.get(f"/v1/cases/{difference['case']}")
    assert case["kind"] == "difference" and case["resolutions"] == ["keep"]
    assert case["evidence"][0]["class"] == "amount_mismatch"
    # The funds statement of the day agrees with the books, so there is nothing to post.
    adjust = {"resolution": "adjust", "note": "the channel pays one more"}
    assert "funds statement" in operator.post(f"/v1/cases/{case['id']}/propose", adjust, expect=409)["detail"]
    operator.post(f"/v1/cases/{case['id']}/propose", {"resolution": "keep", "note": "only the statement is wrong"})
    operator.approve(f"/v1/cases/{case['id']}", expect=403)
    approver.approve(f"/v1/cases/{case['id']}", {"resolution": "keep"})
    assert world.operator.get(f"/v1/differences/{row['id']}")["state"] == "resolved"


def test_a_fetched_statement_without_changes_stays_one_version(world, closed_day):
    date, _, statement = closed_day
    body = {"channel_account": world.account, "kind": "trades", "date": date}
    world.operator.post("/v1/statements/fetch", body, expect=202)
    until(lambda: world.operator.get(f"/v1/statements/{statement['id']}")["tries"] == 2, "it is fetched again")
    until(lambda: "due_at" not in world.operator.get(f"/v1/statements/{statement['id']}"), "the fetch has ended")
    rows = world.operator.all("/v1/statements", kind="trades", **{"from": date, "to": date})
    assert [row["version"] for row in rows if row["channel_account"] == world.account] == [1]


def test_a_day_without_business_is_empty(world, closed_day):
    world.pass_to(12)
    world.server.advance("24h")
    statements = []
    for _ in range(3):  # on a slow machine a return of the closed day is executed one day later
        date = world.today()
        world.server.advance("24h")
        statements.append(world.statement(date, ["empty", "matched"]))
    assert statements[-1]["state"] == "empty", statements
    path = f"/v1/statements/{statements[-1]['id']}/lines"
    assert world.operator.get(path)["data"] == []
    hidden, missing = (world.shop.get(one, expect=404) for one in (path, "/v1/statements/stm_0000000000001/lines"))
    assert hidden["detail"] == missing["detail"], hidden


def file_of(date, lines, fees):
    """A file of the simple channel for that day. `lines`: its payments of 100.00 each; `fees`: their sum."""
    count = len(lines)
    return "\n".join([
        "statement,version,channel,kind,date,time_zone",
        f"statement,1,sandbox,trades,{date},+08:00",
        "columns,type,time,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,discount,fee,status",
        *lines,
        "totals_columns,currency,lines,payments,paid,refunds,refunded,fees",
        f"totals,CNY,{count},{count},{100 * count}.00,0,0.00,{fees}"]).encode() + b"\n"


def upload(world, date, file, expect=202):
    path = f"/v1/statements?channel_account={world.account}&kind=trades&date={date}"
    response = world.operator.request("POST", path, data=file)
    assert response.status_code == expect, response.text
    return response.json()


def when_compared(world, statement):
    until(lambda: world.operator.get(f"/v1/statements/{statement['id']}")["state"] == "matched", "it is matched",
          timeout=60)
    return world.operator.get(f"/v1/statements/{statement['id']}")


def declined_order(world, scenario):
    order = world.shop.create_order(amount=AMOUNT, attempts=2, expires_in=7 * 86400,
                                    payment={"channel": "sandbox", "scenario": scenario})
    world.shop.payment_when(order["payments"][0]["id"], "failed")
    return world.shop.order(order["id"])


def test_an_uploaded_line_queries_the_channel_and_books_nothing(world, closed_day):
    world.pass_to(12)
    date = world.today()
    order = declined_order(world, "late_payment_unnotified")
    world.wait_until_paid(order)
    unpaid = declined_order(world, "declines")
    numbers = [one["payments"][0]["out_trade_no"] for one in (order, unpaid)]
    trades = {row["out_trade_no"]: row["trade_no"] for row in ledger(world)}
    lines = [f"line,payment,{date}T12:31:00+08:00,{trades[number]},{number},,,CNY,100.00,0.00,0.60,success"
             for number in numbers]
    world.pass_to(8)  # the day has ended; its statement is created at 10:00
    first = upload(world, date, file_of(date, lines, "1.20"))
    assert upload(world, date, file_of(date, lines, "1.20"), expect=200)["id"] == first["id"]
    uploaded = when_compared(world, first)
    counts = uploaded["counts"]  # the answer to the query can come before the counts are read
    assert uploaded["source"] == "uploaded" and counts["differences"] + counts["repaired"] == 2
    assert [row["class"] for row in world.differences(date)] == ["late_status", "late_status"]

    def booked():
        events = world.shop.all("/v1/events", object=order["payments"][0]["id"])
        return [row["cause"]["kind"] for row in events if row["event"] == "paid_after_failure"]
    until(booked, "the late payment is booked")
    assert booked() == ["query"], "by the answer to the query, not by the file"
    payment = world.shop.order(unpaid["id"])["payments"][0]
    assert payment["state"] == "failed" and payment["paid_amount"] == 0

    # Another file with the same lines: the books agree with one of them now.
    second = when_compared(world, upload(world, date, file_of(date, lines[::-1], "1.20")))
    assert second["version"] == 2
    assert second["counts"] == {"matched": 0, "repaired": 1, "carried": 0, "differences": 1}
    states = {row["order"]: row["state"] for row in world.differences(date)}
    assert states == {order["id"]: "repaired", unpaid["id"]: "open"}
    rows = world.operator.all("/v1/statements", channel_account=world.account, **{"from": date, "to": date})
    assert {row["source"] for row in rows} == {"fetched", "uploaded"}, "the upload does not replace the download"


def large_file(date):
    """About 5 MiB of payments that the channel does not have: they differ in nothing from the books."""
    lines = [f"line,payment,{date}T12:31:00+08:00,till-{i:012}{'x' * 80},,,,CNY,100.00,0.00,0.00,failed"
             for i in range(32_000)]
    return file_of(date, lines, "0.00")


def test_a_large_file_is_uploaded_and_compared(world):
    date = (datetime.date.fromisoformat(world.today()) - datetime.timedelta(days=62)).isoformat()
    file = large_file(date)
    assert 5 << 20 < len(file) < 6 << 20
    statement = when_compared(world, upload(world, date, file))
    assert statement["bytes"] == len(file) and statement["lines"] == 32_000
    assert statement["counts"] == {"matched": 32_000, "repaired": 0, "carried": 0, "differences": 0}
    chunks = (file[at:at + 65_536] for at in range(0, len(file), 65_536))
    assert upload(world, date, chunks, expect=200)["id"] == statement["id"], "a chunked body has the same bytes"


def test_a_large_file_needs_a_key_that_may_upload_it(world):
    path = f"/v1/statements?channel_account={world.account}&kind=trades&date=2026-01-01"
    file = b"x" * (2 << 20)
    assert world.shop.request("POST", path, data=file).status_code == 403
    unknown = {"Authorization": "Bearer op_unknown"}
    assert world.shop.request("POST", path, data=file, headers=unknown).status_code == 401
    response = world.operator.request("POST", "/v1/statements/fetch", data=file)
    assert response.status_code == 413 and "1 MiB" in response.json()["detail"]


@pytest.mark.parametrize("query, param", [
    ("kind=trades&date=2026-01-01", "channel_account"), ("channel_account={account}&date=2026-01-01", "kind"),
    ("channel_account={account}&kind=trades", "date"), ("channel_account={account}&kind=trades&date=2026-1-1", "date"),
    ("channel_account={account}&kind=trades&date=2999-01-01", "date"),
    ("channel_account={account}&kind=trades&date=2020-01-01", "date"),
    ("channel_account={account}&kind=funds&date=2026-01-01", "kind"),
    ("channel_account={account}&kind=trades&date=2026-01-01&x=1", "x")])
def test_a_wrong_upload_names_the_parameter(world, query, param):
    response = world.operator.request("POST", "/v1/statements?" + query.format(account=world.account), data=b"x")
    assert response.status_code == 400 and response.json()["param"] == param, response.text


def test_a_malformed_file_is_rejected_and_changes_nothing(world):
    date = (datetime.date.fromisoformat(world.today()) - datetime.timedelta(days=60)).isoformat()
    path = f"/v1/statements?channel_account={world.account}&kind=trades&date={date}"
    made = world.operator.request("POST", path, data=b"no statement")
    assert made.status_code == 202, made.text
    until(lambda: world.operator.get(f"/v1/statements/{made.json()['id']}")["state"] == "rejected", "it is rejected")
    assert "1" in world.operator.get(f"/v1/statements/{made.json()['id']}")["failure"]
    assert world.differences(date) == []


def run_command(world, *arguments):
    environment = os.environ | {"FINALITY_KEY": world.server.demo["operators"]["operator"]}
    return subprocess.run([BINARY, *arguments, "--server", world.server.demo["base_url"]], env=environment,
                          capture_output=True, text=True, timeout=30)


def test_the_commands_list_what_the_api_lists(world, closed_day):
    date, _, statement = closed_day
    listed = run_command(world, "statements", "list", "--channel", "sandbox", "--from", date, "--to", date,
                         "--kind", "trades", "--state", "matched")
    title, *rows = [line.split() for line in listed.stdout.splitlines()]
    assert title == ["id", "channel", "kind", "funds_account", "date", "version", "state", "lines"], listed.stderr
    assert [row[0] for row in rows] == [statement["id"]] and rows[0][-1] == str(statement["lines"])
    differences = run_command(world, "differences", "list", "--date", date, "--json")
    assert json.loads(differences.stdout) == world.differences(date)
    table = run_command(world, "differences", "list", "--date", date, "--limit", "2").stdout.splitlines()
    assert [line.split()[0] for line in table] == ["id"] + [row["id"] for row in world.differences(date)[:2]]


def test_the_list_of_differences_shows_account_merchant_order_number_and_decimal_amount(world, closed_day):
    date, _, _ = closed_day
    [found] = [row for row in world.differences(date) if row["class"] == "amount_mismatch"]
    order = world.shop.order(found["order"])
    assert found["merchant_order_no"] == order["merchant_order_no"]
    assert world.operator.get(f"/v1/differences/{found['id']}")["merchant_order_no"] == order["merchant_order_no"]
    title, *rows = run_command(world, "differences", "list", "--class", "amount_mismatch", "--date",
                               date).stdout.splitlines()
    assert title.split() == ["id", "date", "account", "class", "state", "amount", "merchant", "merchant_order_no",
                             "subject"]
    [row] = rows
    amount = f"{found['amount'] / 100:.2f} CNY"
    cells = [found["id"], date, "sandbox", "amount_mismatch", found["state"], amount, found["merchant"],
             order["merchant_order_no"], found["subject"]]
    assert row.split() == " ".join(cells).split()
    assert row.index(amount) + len(amount) == title.index("amount") + len("amount"), "amounts are aligned"


def test_a_file_is_imported_by_command(world, tmp_path):
    date = (datetime.date.fromisoformat(world.today()) - datetime.timedelta(days=61)).isoformat()
    file = tmp_path / "day.csv"
    arguments = ("statements", "import", str(file), "--channel", "sandbox", "--date", date)
    assert "cannot read" in run_command(world, *arguments).stderr
    directory = run_command(world, "statements", "import", str(tmp_path), "--channel", "sandbox", "--date", date)
    assert directory.returncode == 2 and f"{tmp_path} is a directory: name the file" in directory.stderr, directory
    file.write_text("no statement")
    made = run_command(world, *arguments, "--json")
    assert json.loads(made.stdout)["source"] == "uploaded", made.stderr
    assert made.returncode == 1 and json.loads(made.stdout)["failure"] in made.stderr, made.stderr
    earlier = (datetime.date.fromisoformat(date) - datetime.timedelta(days=2)).isoformat()
    file.write_bytes(large_file(earlier))
    large = run_command(world, *arguments[:-1], earlier, "--json", "--no-wait")
    assert json.loads(large.stdout)["bytes"] == file.stat().st_size, large.stderr
    unknown = run_command(world, "statements", "fetch", "--channel", "other", "--date", date)
    assert unknown.returncode == 1 and "no channel account has the name 'other': use " in unknown.stderr
    assert "sandbox" in unknown.stderr and "wallet" not in unknown.stderr, "the wallet has no statements"

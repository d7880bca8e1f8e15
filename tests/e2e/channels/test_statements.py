"""A day of payments with faults is closed with the statement of the simple channel: every fault is found once, in its
class, and what the books lack is booked."""

import collections
import dataclasses
import datetime

import pytest
import requests

from api import Api
from wait import until

AMOUNT = 10_000
CHINA = datetime.timezone(datetime.timedelta(hours=8))
DAY_OF_MANY = ["drop_line", "double_line", "other_amount", "other_discount",
               "other_fee"]


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
        """Waits for the newest version of the statement of that day in one of the states."""
        def look():
            rows = self.operator.all("/v1/statements", channel_account=self.account, **{"from": date, "to": date})
            return rows[0] if rows and rows[0]["state"] in states else None
        return until(look, f"the statement of {date} is {states}", timeout=30)

    def wait_until_paid(self, order):
        [payment] = order["payments"]

        def paid():
            trades = requests.get(self.server.demo["sandbox_url"] + "/ledger", timeout=10).json()["trades"]
            return any(row["out_trade_no"] == payment["out_trade_no"] and row["state"] == "paid" for row in trades)
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


def test_the_lines_are_shown_in_pages(world, closed_day):
    _, _, statement = closed_day
    path = f"/v1/statements/{statement['id']}/lines"
    first = world.operator.get(f"{path}?limit=4")
    rest = world.operator.get(f"{path}?limit=100&starting_after={first['data'][-1]['line_no']}")
    assert first["has_more"] and not rest["has_more"]
    numbers = [row["line_no"] for row in first["data"] + rest["data"]]
    assert numbers == sorted(numbers) and len(numbers) == statement["lines"]
    assert {row["kind"] for row in first["data"] + rest["data"]} == {"payment", "refund"}


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
    assert case["kind"] == "difference" and case["resolutions"] == ["keep", "adjust"]
    assert case["evidence"][0]["class"] == "amount_mismatch"
    operator.post(f"/v1/cases/{case['id']}/propose", {"resolution": "adjust", "note": "the channel pays one more"})
    assert operator.request("POST", f"/v1/cases/{case['id']}/approve", json={}).status_code == 403
    approver.post(f"/v1/cases/{case['id']}/approve", {"resolution": "adjust"})
    assert world.operator.get(f"/v1/differences/{row['id']}")["state"] == "resolved"


def test_a_fetched_statement_without_changes_stays_one_version(world, closed_day):
    date, _, statement = closed_day
    body = {"channel_account": world.account, "kind": "trades", "date": date}
    world.operator.post("/v1/statements/fetch", body, expect=202)
    until(lambda: world.operator.get(f"/v1/statements/{statement['id']}")["tries"] == 2, "it is fetched again")
    until(lambda: "due_at" not in world.operator.get(f"/v1/statements/{statement['id']}"), "the fetch has ended")
    rows = world.operator.all("/v1/statements", **{"from": date, "to": date})
    assert [row["version"] for row in rows if row["channel_account"] == world.account] == [1]


def test_a_day_without_business_is_empty(world, closed_day):
    world.pass_to(12)
    world.server.advance("24h")
    date = world.today()
    world.server.advance("24h")
    assert world.statement(date, ["empty", "matched"])["state"] == "empty"


def test_an_uploaded_file_is_compared_and_books_nothing(world, closed_day):
    world.pass_to(12)
    order = world.paid("late_payment_unnotified", attempts=1)
    date = world.today()
    [payment] = order["payments"]
    lines = [
        "statement,version,channel,kind,date,time_zone",
        f"statement,1,sandbox,trades,{date},+08:00",
        "columns,type,time,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,discount,fee,status",
        f"line,payment,{date}T12:31:00+08:00,claimed,{payment['out_trade_no']},,,CNY,100.00,0.00,0.60,success",
        "totals_columns,currency,lines,payments,paid,refunds,refunded,fees",
        "totals,CNY,1,1,100.00,0,0.00,0.60"]
    file = "\n".join(lines) + "\n"
    world.server.advance("24h")
    path = f"/v1/statements?channel_account={world.account}&kind=trades&date={date}"
    first = world.operator.request("POST", path, data=file.encode())
    assert first.status_code == 202, first.text
    again = world.operator.request("POST", path, data=file.encode())
    assert again.status_code == 200 and again.json()["id"] == first.json()["id"]
    uploaded = until(lambda: world.operator.get(f"/v1/statements/{first.json()['id']}"), "it is shown")
    assert uploaded["source"] == "uploaded"
    until(lambda: world.operator.get(f"/v1/statements/{uploaded['id']}")["state"] == "matched", "it is matched")
    [difference] = [row for row in world.differences(date) if row.get("statement") == uploaded["id"]]
    assert (difference["class"], difference["state"]) == ("late_status", "open")
    assert world.shop.order(order["id"])["payments"][0]["paid_amount"] == 0


@pytest.mark.parametrize("query, param", [
    ("kind=trades&date=2026-01-01", "channel_account"), ("channel_account={account}&date=2026-01-01", "kind"),
    ("channel_account={account}&kind=trades", "date"), ("channel_account={account}&kind=trades&date=2026-1-1", "date"),
    ("channel_account={account}&kind=trades&date=2999-01-01", "date"),
    ("channel_account={account}&kind=funds&date=2026-01-01", "kind"),
    ("channel_account={account}&kind=trades&date=2026-01-01&x=1", "x")])
def test_a_wrong_upload_names_the_parameter(world, query, param):
    response = world.operator.request("POST", "/v1/statements?" + query.format(account=world.account), data=b"x")
    assert response.status_code == 400 and response.json()["param"] == param, response.text


def test_a_malformed_file_is_rejected_and_changes_nothing(world):
    path = f"/v1/statements?channel_account={world.account}&kind=trades&date=2026-01-02"
    made = world.operator.request("POST", path, data=b"no statement")
    assert made.status_code == 202, made.text
    until(lambda: world.operator.get(f"/v1/statements/{made.json()['id']}")["state"] == "rejected", "it is rejected")
    assert "1" in world.operator.get(f"/v1/statements/{made.json()['id']}")["failure"]
    assert world.differences("2026-01-02") == []

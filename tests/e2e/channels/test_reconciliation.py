"""Days of the simple channel and of the bank are proven: the balance in the books, the reasons for its difference from
the statement, and nothing else. Each test uses separate days."""

import collections
import contextlib
import json
import uuid

import pytest
import requests

from sandbox_signature import secret_of, signed
from simple_statement import StatementProxy
from statement_world import BANK, PLATFORM, next_day, statement_world
from store_sql import ask
from wait import until

AMOUNT = 10_000
FEE = 60                # of a payment of AMOUNT
REFUNDED = 3000
FEE_BACK = 18           # of a refund of REFUNDED
BEFORE = AMOUNT - FEE   # balance of `sandbox2` before the server starts


def pay_elsewhere(world, channel):
    """A payer pays over the channel at another system of the platform. Returns the out_trade_no."""
    before = world.balance_at(channel)
    path, number = f"/{channel}/trades", f"till-{uuid.uuid4().hex[:8]}"
    body = json.dumps({"out_trade_no": number, "amount": AMOUNT, "currency": "CNY", "subject": "Till",
                       "notify_url": "http://127.0.0.1:9/", "scenario": "pays"})
    headers = signed(secret_of(world.upstream), "POST", path, body, now=world.server.now())
    headers["Content-Type"] = "application/json"
    answer = requests.post(world.upstream.url + path, data=body, headers=headers, timeout=10)
    assert answer.status_code == 200, answer.text
    until(lambda: world.balance_at(channel) == before + AMOUNT - FEE, "the trade is paid")
    return number


def prepare(world):
    """A payer pays over `sandbox2`, two days before the server starts. The server uses the channels over a proxy."""
    pay_elsewhere(world, "sandbox2")
    world.server.advance("48h")
    world.way = StatementProxy(world.upstream.url, secret_of(world.upstream))
    world.gateway_url = world.way.url


@pytest.fixture(scope="module")
def world(contract, tmp_path_factory):
    directory = tmp_path_factory.mktemp("reconciliation")
    with statement_world(directory, contract, ["sandbox", "sandbox2"], prepare) as world:
        yield world
    world.way.stop()


@pytest.fixture(autouse=True)
def audited_day(world):
    """Starts each test at noon, and audits the store after it."""
    world.pass_to(12)
    yield
    world.server.verify()


def funds_of(row):
    return {one["kind"]: (one["lines"], one["amount"]) for one in row["funds"]}


def items_of(row):
    """Returns {class or type: amount} of the items of the proof. Differences that balance each other are left out."""
    sums = collections.Counter()
    for item in row["proof"]["items"]:
        sums[item.get("class", item["type"])] += item["amount"]
    return {name: amount for name, amount in sums.items() if amount != 0}


def posted_in(statement):
    """Returns {kind: amount} of the lines that were posted from the statement."""
    return {row["kind"]: row["amount"] for row in statement["movements"] if "journal" in row}


def only(differences, difference_class):
    [found] = [row for row in differences if row["class"] == difference_class]
    return found


def posted_for_differences(world):
    """Returns the entries that resolutions of differences posted: (type, account, channel, amount, currency)."""
    rows = ask(world.server.store, "SELECT e.type, a.kind, a.channel, e.amount, e.currency FROM entries e "
                                   "JOIN accounts a ON a.id = e.account_id WHERE e.document_type = 'difference' "
                                   "ORDER BY e.id")
    return [(*names, int(amount), currency) for *names, amount, currency in rows]


def previewed(case, resolution):
    """Returns the postings of the preview, in the form of posted_for_differences(). They must be of the platform."""
    [preview] = [item for item in case["previews"] if item["resolution"] == resolution]
    assert "refusal" not in preview and {row["merchant"] for row in preview["postings"]} <= {PLATFORM}, preview
    return [(row["type"], row["account"], row.get("channel", ""),
             row["amount"] * (1 if row["direction"] == "credit" else -1), row["currency"])
            for row in preview["postings"]]


@contextlib.contextmanager
def an_early_version(world, kind, is_listed):
    """Meanwhile, the statements of that kind of `sandbox` contain only the lines for which is_listed(line) is true."""
    def change(statement):
        if (statement.head["channel"], statement.kind) == ("sandbox", kind):
            statement.lines = [line for line in statement.lines if is_listed(line)]

    world.way.change = change
    try:
        yield
    finally:
        world.way.change = None


def test_a_day_with_payments_a_refund_and_fees_is_balanced(world):
    orders = [world.paid() for _ in range(3)]
    assert world.refunded(orders[0], REFUNDED)["state"] == "succeeded"
    date = world.close_day()
    row = world.proven(date)
    assert row["result"] == "balanced" and row["differences"] == {"open": 0, "carried": 0}
    assert {(one["kind"], one["state"]) for one in row["statements"]} == {("trades", "matched"), ("funds", "matched")}
    assert row["trades"]["payments"] == {side: {"count": 3, "amount": 3 * AMOUNT} for side in ("ours", "theirs")}
    assert row["trades"]["refunds"] == {side: {"count": 1, "amount": REFUNDED} for side in ("ours", "theirs")}
    assert funds_of(row) == {"payment": (3, 3 * AMOUNT), "refund": (1, -REFUNDED), "fee": (3, -3 * FEE),
                             "fee_returned": (1, FEE_BACK)}
    # The fees are posted when the statement is compared, on the next day.
    proof = row["proof"]
    assert proof["books"] == 3 * AMOUNT - REFUNDED
    assert proof["statement"] == world.balance_at("sandbox") == proof["books"] - 3 * FEE + FEE_BACK
    assert items_of(row) == {"booked_later": -3 * FEE + FEE_BACK}

    world.pass_to(12)
    following = world.proven(world.close_day())
    assert following["result"] == "balanced" and items_of(following) == {}
    assert following["proof"]["books"] == following["proof"]["statement"] == world.balance_at("sandbox")
    assert {one["state"] for one in following["statements"]} == {"empty"}


def test_the_funds_statement_is_compared_after_the_statement_of_trades(world):
    """A payment that only the statements report is booked by the statement of trades. The funds statement finds it."""
    order = world.order(scenario="late_payment_unnotified", attempts=1)
    world.shop.order_when_final(order["id"])
    until(lambda: world.sandbox.trade_of(order["payments"][0])["state"] == "paid", "the payer has paid")
    date = world.close_day()
    assert [(row["class"], row["state"]) for row in world.differences(date)] == [("late_status", "repaired")]
    row = world.proven(date)
    assert row["result"] == "balanced", row
    assert items_of(row) == {"booked_later": AMOUNT - FEE}
    # The late payment is returned, on the day of the comparison.
    until(lambda: world.shop.order(order["id"])["payments"][0]["reversed_amount"] == AMOUNT, "the payment is returned")
    following = world.proven(world.close_day())
    assert following["result"] == "balanced", following


def test_a_line_of_funds_is_matched_when_a_newer_version_of_trades_books_its_payment(world):
    """The first version of the statement of trades lacks a payment that the books do not have either. After the second
    version, the funds statement of the next day is compared and matches the line of the day before."""
    world.paid()
    order = world.order(scenario="late_payment_unnotified", attempts=1)
    world.shop.order_when_final(order["id"])
    until(lambda: world.sandbox.trade_of(order["payments"][0])["state"] == "paid", "the payer has paid")
    number = order["payments"][0]["out_trade_no"]
    with an_early_version(world, "trades", lambda line: line["out_trade_no"] != number):
        date = world.close_day()
    differences = world.differences(date)
    assert len(differences) == 1, differences
    [found] = differences
    assert (found["class"], found["kind"], found["state"], found["amount"]) == (
        "funds_line_unknown", "funds", "open", AMOUNT)
    explained = {"booked_later": -2 * FEE, "funds_line_unknown": AMOUNT}
    row = world.proven(date)
    assert row["result"] == "differences" and items_of(row) == explained
    assert world.fetch(date)["version"] == 2
    until(lambda: world.shop.order(order["id"])["payments"][0]["reversed_amount"] == AMOUNT, "the payment is returned")

    following = world.close_day()
    differences = world.differences(date)
    assert {(row["class"], row["kind"], row["state"]) for row in differences} == {
        ("late_status", "trades", "repaired"), ("funds_line_unknown", "funds", "repaired")}
    assert only(differences, "funds_line_unknown")["repaired_by"] == only(differences, "late_status")["repaired_by"]
    assert world.differences(following) == [], "the payment does not lack its line"
    row = world.proven(date)
    assert row["result"] == "balanced" and items_of(row) == explained, "the payment is booked on the next day"
    row = world.proven(following)
    assert row["result"] == "balanced" and "funds_line_unknown" not in items_of(row)


def test_a_line_of_funds_is_matched_by_an_empty_day(world):
    """As before, with a payment of another system, which the statement of trades books for the platform. Nothing happens
    on the next day."""
    world.paid()
    number = pay_elsewhere(world, "sandbox")
    with an_early_version(world, "trades", lambda line: line["out_trade_no"] != number):
        date = world.close_day()
    assert only(world.differences(date), "funds_line_unknown")["state"] == "open"
    explained = {"booked_later": -2 * FEE, "funds_line_unknown": AMOUNT}
    assert items_of(world.proven(date)) == explained
    assert world.fetch(date)["version"] == 2
    booked = only(world.differences(date), "unknown_receipt")

    following = world.close_day()
    assert world.statement(following, kind="funds")["state"] == "empty"
    found = only(world.differences(date), "funds_line_unknown")
    assert found["state"] == "repaired" and found["repaired_by"] == booked["repaired_by"]
    assert world.differences(following) == []
    row = world.proven(date)
    assert row["result"] == "balanced" and items_of(row) == explained
    row = world.proven(following)
    assert row["result"] == "balanced" and items_of(row) == {}, row
    again = world.fetch(following, kind="funds")
    assert again["id"] == world.statement(following, kind="funds")["id"] and again["state"] == "empty"


def test_a_payment_that_is_booked_after_its_line_was_adjusted_is_reported(world):
    """The money is in the books twice. The later booking has no line, and operators adjust it back."""
    world.paid()
    number = pay_elsewhere(world, "sandbox")
    with an_early_version(world, "trades", lambda line: line["out_trade_no"] != number):
        date = world.close_day()
    line = only(world.differences(date), "funds_line_unknown")
    world.resolve_difference(line, "adjust")
    assert world.fetch(date)["version"] == 2
    assert only(world.differences(date), "unknown_receipt")["state"] == "repaired"

    following = world.close_day()
    assert only(world.differences(date), "funds_line_unknown")["state"] == "resolved"
    [found] = world.differences(following)
    assert (found["class"], found["state"], found["amount"]) == ("trade_without_funds", "carried", -AMOUNT)
    row = world.proven(following)
    assert items_of(row) == {"trade_without_funds": -AMOUNT}, "the proof names what the books have twice"
    assert row["proof"]["books"] - row["proof"]["statement"] == AMOUNT
    for _ in range(3):
        world.pass_to(12)
        last = world.close_day()
    [found] = world.differences(following)
    assert found["state"] == "open" and world.proven(last)["result"] == "differences"
    world.resolve_difference(found, "adjust")
    world.pass_to(12)
    row = world.proven(world.close_day())
    assert row["result"] == "balanced" and items_of(row) == {}
    assert row["proof"]["books"] == row["proof"]["statement"] == world.balance_at("sandbox")


def test_a_statement_shows_what_was_posted_from_it(world):
    world.paid()
    date = world.close_day()
    statement = world.operator.get(f"/v1/statements/{world.statement(date, kind='funds')['id']}")
    movements = {row["kind"]: row for row in statement["movements"]}
    assert movements["payment"]["amount"] == AMOUNT and "journal" not in movements["payment"]
    assert movements["fee"]["amount"] == -FEE and movements["fee"]["journal"].startswith("ent_")
    assert (movements["payment"]["booked_on"], movements["fee"]["booked_on"]) == (date, next_day(date))


def test_a_withdrawal_is_posted_and_matched_with_the_bank(world):
    world.paid()
    world.withdraw(5000)
    date = world.close_day()
    row = world.proven(date)
    assert row["result"] == "balanced" and funds_of(row)["withdrawal"] == (1, -5000)
    world.pass_to(12)
    following = world.close_day()
    statement = world.statement(following, BANK, "bank")
    assert statement["counts"] == {"matched": 1, "repaired": 0, "carried": 0, "differences": 0}
    row = world.proven(following, BANK)
    assert row["result"] == "balanced" and "trades" not in row
    assert row["proof"]["books"] == row["proof"]["statement"] and items_of(row) == {}
    assert funds_of(row) == {"bank_credit": (1, 5000)}
    again = world.import_bank_statement(following)
    assert again["id"] == statement["id"], "the same file again is the same statement"


def test_a_withdrawal_that_the_bank_does_not_credit_opens_a_case_after_three_statements(world):
    world.paid()
    world.set_fault("withdrawal_not_credited")
    world.withdraw(700)
    world.close_day()
    expected = [("carried", 0), ("carried", 0), ("carried", 0), ("open", 1)]
    found = None
    for state, cases in expected:  # of the day of the posting, and of three days after it
        world.pass_to(12)
        date = world.close_day()
        [found] = world.differences(channel=BANK)
        assert (found["class"], found["state"], found["amount"]) == ("trade_without_funds", state, -700)
        row = world.proven(date, BANK)
        assert items_of(row) == {"trade_without_funds": -700}
        assert row["differences"] == {"open": cases, "carried": 1 - cases}
        assert row["result"] == ("differences" if cases else "balanced")
    world.resolve_difference(found, "adjust")
    assert world.proven(date, BANK)["result"] == "balanced"
    world.pass_to(12)
    row = world.proven(world.close_day(), BANK)
    assert row["result"] == "balanced" and row["proof"]["books"] == row["proof"]["statement"] and items_of(row) == {}


def test_an_unknown_line_opens_a_case_and_is_adjusted(world):
    world.paid()
    world.set_fault("unknown_funds_line")
    date = world.close_day()
    [found] = world.differences(date)
    assert (found["class"], found["state"], found["amount"]) == ("funds_line_unknown", "open", -100)
    row = world.proven(date)
    assert row["result"] == "differences" and row["differences"] == {"open": 1, "carried": 0}
    assert items_of(row) == {"booked_later": -FEE, "funds_line_unknown": -100}
    path = f"/v1/cases/{world.case_of(found)}"
    case = world.of("operator").get(path)
    assert case["resolutions"] == ["keep", "adjust"] and previewed(case, "keep") == []
    preview, before = previewed(case, "adjust"), posted_for_differences(world)
    assert preview == [("rounding_loss", "loss", "", -100, "CNY"),
                       ("rounding_loss", "channel_receivable", "sandbox", 100, "CNY")]
    world.resolve_difference(found, "adjust")
    assert posted_for_differences(world)[len(before):] == preview
    assert "previews" not in world.of("operator").get(path), "it is resolved"
    row = world.proven(date)
    assert row["result"] == "balanced" and row["proof"]["differences"] == -100, "adjusted on the next day"
    world.pass_to(12)
    row = world.proven(world.close_day())
    assert row["result"] == "balanced" and items_of(row) == {}


def test_a_penalty_is_posted_as_a_deduction(world):
    world.paid()
    world.sandbox.act_on_statements("sandbox", "penalty", currency="CNY", amount=250, memo="late reply")
    date = world.close_day()
    assert world.differences(date) == []
    row = world.proven(date)
    assert row["result"] == "balanced" and funds_of(row)["adjustment"] == (1, -250)
    statement = world.operator.get(f"/v1/statements/{world.statement(date, kind='funds')['id']}")
    [journal] = [one["journal"] for one in statement["movements"] if one["kind"] == "adjustment"]
    assert journal.startswith("ent_")
    world.pass_to(12)
    row = world.proven(world.close_day())
    assert row["proof"]["books"] == row["proof"]["statement"] == world.balance_at("sandbox")


def test_a_balance_that_does_not_continue_is_a_difference(world):
    world.paid()
    world.set_fault("balance_break")
    date = world.close_day()
    first = only(world.differences(date), "balance_break")
    assert (first["state"], first["amount"]) == ("open", 100)
    assert first["theirs"] - first["ours"] == 100
    assert world.proven(date)["result"] == "differences"
    world.pass_to(12)
    world.paid()
    following = world.close_day()
    second = only(world.differences(following), "balance_break")
    assert (second["state"], second["amount"]) == ("open", -100), "the balance continues where it was before"
    for difference in (first, second):
        world.resolve_difference(difference, "keep")
    assert {world.proven(day)["result"] for day in (date, following)} == {"balanced"}
    assert world.proven(following)["proof"]["differences"] == 0


def test_a_second_version_posts_only_its_new_lines(world):
    for _ in range(2):
        world.paid()
    world.withdraw(300)
    with an_early_version(world, "funds", lambda line: line["type"] != "withdrawal"):
        date = world.close_day()
    first = world.operator.get(f"/v1/statements/{world.statement(date, kind='funds')['id']}")
    assert posted_in(first) == {"fee": -2 * FEE}
    assert world.proven(date)["proof"]["statement"] == world.balance_at("sandbox") + 300
    second = world.operator.get(f"/v1/statements/{world.fetch(date, kind='funds')['id']}")
    assert (first["version"], second["version"]) == (1, 2)
    assert posted_in(second) == {"withdrawal": -300}
    assert second["counts"] == {"matched": 5, "repaired": 0, "carried": 0, "differences": 0}
    assert world.differences(date) == []
    row = world.proven(date)
    assert funds_of(row) == {"payment": (2, 2 * AMOUNT), "fee": (2, -2 * FEE), "withdrawal": (1, -300)}
    assert world.fetch(date, kind="funds")["id"] == second["id"], "the same file is the same version"
    world.pass_to(12)
    row = world.proven(world.close_day())
    assert row["result"] == "balanced" and items_of(row) == {}
    assert row["proof"]["books"] == row["proof"]["statement"] == world.balance_at("sandbox")


def test_an_opening_balance_is_explained_and_then_adjusted(world):
    world.paid("sandbox2")
    date = world.close_day()
    row = world.proven(date, "sandbox2")
    assert row["result"] == "differences"
    assert items_of(row) == {"booked_later": -FEE, "opening_balance": BEFORE}
    assert row["proof"]["statement"] - row["proof"]["books"] == BEFORE - FEE
    world.adjust_opening_balance("channel_receivable", "sandbox2", -BEFORE)
    row = world.proven(date, "sandbox2")
    assert row["result"] == "balanced" and row["proof"]["opening_balance"] == 0
    assert row["proof"]["books"] == AMOUNT + BEFORE
    world.pass_to(12)
    row = world.proven(world.close_day(), "sandbox2")
    assert row["result"] == "balanced" and items_of(row) == {}
    assert row["proof"]["books"] == row["proof"]["statement"] == world.balance_at("sandbox2")


def test_a_difference_of_trades_is_kept_because_the_funds_statement_shows_the_money(world):
    order = world.paid(scenario="other_amount")
    date = world.close_day()
    [found] = world.differences(date)
    assert (found["class"], found["kind"], found["order"]) == ("amount_mismatch", "trades", order["id"])
    row = world.proven(date)
    assert row["result"] == "differences" and items_of(row) == {"booked_later": -FEE}, "the balance agrees"
    operator = world.of("operator", found["merchant"])
    path = f"/v1/cases/{world.case_of(found)}"
    case = operator.get(path)
    assert case["resolutions"] == ["keep"] and case["previews"] == [
        {"resolution": "keep", "postings": [], "requests": []}]
    [listed] = [row for row in operator.all("/v1/cases", state="open") if row["id"] == case["id"]]
    assert listed["resolutions"] == ["keep"] and "previews" not in listed
    adjust = {"resolution": "adjust", "note": "the channel reports one more"}
    refused = operator.post(f"{path}/propose", adjust, expect=409)
    assert "funds statement" in refused["detail"] and "keep" in refused["detail"]
    world.resolve_difference(found, "keep")
    assert world.proven(date)["result"] == "balanced"


def test_the_command_prints_what_the_api_shows(world):
    world.paid()
    good = world.close_day()
    world.pass_to(12)
    world.set_fault("unknown_funds_line")
    bad = world.close_day()
    done = world.reconcile("--channel", "sandbox", "--date", good, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == world.reconciliation("sandbox", good, good)
    done = world.reconcile("--channel", "sandbox", "--from", good, "--to", bad, "--json")
    assert done.returncode == 1 and [row["date"] for row in json.loads(done.stdout)] == [good, bad]
    page = world.reconcile("--channel", "sandbox", "--from", good, "--to", bad, "--html")
    assert page.returncode == 1 and page.stdout.startswith("<!doctype html>")
    [found] = world.differences(bad)
    for text in ("Statements", "Received at", "Net", "Fees", "Proof of balance", "Balance in the books",
                 "Closing balance of the statement", good, bad, found["id"],
                 "funds_line_unknown"):
        assert text in page.stdout, text
    text = world.reconcile("--channel", "sandbox", "--date", bad)
    assert text.returncode == 1 and found["id"] in text.stdout and "UNEXPLAINED" not in text.stdout
    for form in ([], ["--json"], ["--html"]):
        days = ["--channel", "sandbox", "--from", good, "--to", bad, *form]
        stored, served = world.reconcile(*days), world.reconcile_on_server(*days)
        assert (served.returncode, served.stdout) == (1, stored.stdout), served.stderr
    world.resolve_difference(found, "adjust")
    assert world.reconcile("--channel", "sandbox", "--from", good, "--to", bad, "--html").returncode == 0
    bank = world.reconcile("--channel", BANK, "--date", good, "--json")
    assert json.loads(bank.stdout) == world.reconciliation(BANK, good, good)


@pytest.mark.parametrize("arguments, message", [
    (["--channel", "other", "--date", "2026-01-01"], "no channel account has the name 'other'"),
    (["--channel", "other", "--date", "2026-01-01"], "use "),
    (["--channel", "sandbox"], "--date, or --from and --to is required"),
    (["--channel", "sandbox", "--from", "2026-01-01"], "--date, or --from and --to is required"),
    (["--channel", "sandbox", "--date", "2026-1-1"], "--date: '2026-1-1' must be a calendar day of the form 2026-01-31"),
    (["--channel", "sandbox", "--from", "2026-01-02", "--to", "2026-01-01"], "--from must not be after to"),
    (["--channel", "sandbox", "--date", "2999-01-01"], "--date must be a day that has ended"),
    (["--channel", "sandbox", "--from", "2026-01-01", "--to", "2026-02-01"], "must be at most 30 days before to")])
def test_a_wrong_command_is_refused(world, arguments, message):
    done = world.reconcile(*arguments)
    assert done.returncode == 2 and done.stdout == "" and message in done.stderr, done.stderr


def test_only_channels_with_statements_are_suggested(world):
    done = world.reconcile("--channel", "other", "--date", "2026-01-01")
    assert BANK in done.stderr and "sandbox2" in done.stderr and "wallet" not in done.stderr, done.stderr


@pytest.mark.parametrize("arguments, status, message", [
    (["--channel", "other", "--date", "2026-01-01"], 1, "no channel account has the name 'other': use "),
    (["--channel", "sandbox", "--date", "2999-01-01"], 1, "must be a day that has ended"),
    (["--channel", "sandbox"], 2, "--date, or --from and --to is required"),
    (["--channel", "sandbox", "--date", "2026-01-01", "--store", "x"], 2, "--store excludes --server"),
    (["--channel", "sandbox", "--date", "2026-01-01", "--clock", "x"], 2, "--server excludes --clock")])
def test_a_wrong_command_is_refused_by_the_server(world, arguments, status, message):
    done = world.reconcile_on_server(*arguments)
    assert done.returncode == status and done.stdout == "" and message in done.stderr, done.stderr


@pytest.mark.parametrize("query, param, message", [
    ("", "channel_account", "is required"),
    ("channel_account=sandbox", "channel_account", ""),
    ("channel_account={account}&from=2026-1-1", "from", ""),
    ("channel_account={account}&to=2026-02-30", "to", ""),
    ("channel_account={account}&from={today}", "from", "has ended"),
    ("channel_account={account}&to=2999-01-01", "to", "has ended"),
    ("channel_account={account}&from=2026-01-02&to=2026-01-01", "from", "must not be after to"),
    ("channel_account={account}&from=2026-01-01&to=2026-02-01", "from", "at most 30 days before to"),
    ("channel_account={account}&date=2026-01-01", "date", ""),
    ("channel_account={account}&from=2026-01-01&from=2026-01-02", "from", "")])
def test_a_wrong_request_names_the_parameter(world, query, param, message):
    text = query.format(account=world.accounts["sandbox"], today=world.today())
    response = world.operator.request("GET", f"/v1/reconciliation?{text}")
    problem = response.json()
    assert response.status_code == 400 and problem["param"] == param and message in problem["detail"], response.text


def test_only_operators_see_the_reconciliation(world):
    path = f"/v1/reconciliation?channel_account={world.accounts['sandbox']}"
    assert world.shop.request("GET", path).status_code == 403
    assert world.operator.get("/v1/reconciliation?channel_account=cha_0000000000009", expect=404)["code"] == "not_found"


def test_without_days_the_last_ended_day_is_shown(world):
    date = next_day(world.today(), -1)
    assert {row["date"] for row in world.reconciliation()} == {date}
    assert {row["date"] for row in world.reconciliation(BANK)} == {date}

"""A bank account is registered like a channel account, but no payment uses it. Its statements are uploaded."""

import dataclasses
import datetime
import json
import os
import re
import subprocess

import pytest

from api import Api
from finality_server import BINARY, ConfiguredServer
from wait import until

NUMBER = "DE02120300000000202051"
DATE = (datetime.date.today() - datetime.timedelta(days=3)).isoformat()
SETTINGS = """
[statements]
key_file = "{folder}/statements.secret"
[bank_accounts.deutsche]
currency = "EUR"
number = "{number}"
[channels.sandbox]
kind = "sandbox"
bank_account = "deutsche"
url = "http://127.0.0.1:9"
secret_file = "{folder}/sandbox.secret"
"""
CSV = """type,account,date,amount,currency,reference,text,balance
opening_balance,{number},{date},1000.00,EUR,,,
line,{number},{date},950.00,EUR,B1,Sandbox withdrawal,1950.00
line,{number},{date},-3.50,EUR,B2,Fee,1946.50
closing_balance,{number},{date},1946.50,EUR,,,
"""
CAMT = """<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>
<Acct><Id><IBAN>{number}</IBAN></Id></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
  <Dt><Dt>{date}</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">12.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
  <Dt><Dt>{date}</Dt></Dt></Bal>
<Ntry><Amt Ccy="EUR">7.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>{date}</Dt></BookgDt>
  <AcctSvcrRef>B3</AcctSvcrRef></Ntry>
</Stmt></BkToCstmrStmt></Document>
"""


@dataclasses.dataclass
class World:
    server: ConfiguredServer
    admin: Api
    account: str  # id of the bank account

    def upload(self, file, kind="bank", date=DATE):
        path = f"/v1/statements?channel_account={self.account}&kind={kind}&date={date}"
        return self.admin.request("POST", path, data=file.format(number=NUMBER, date=date).encode())

    def ended(self, response):
        """Waits until the uploaded statement is compared or rejected."""
        assert response.status_code == 202, response.text
        path = f"/v1/statements/{response.json()['id']}"
        until(lambda: self.admin.get(path)["state"] in ("matched", "rejected"), "the statement is read")
        return self.admin.get(path)


@pytest.fixture(scope="module")
def world(contract, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bank")
    (folder / "statements.secret").write_text("a secret of thirty-two characters")
    (folder / "sandbox.secret").write_text("secret")
    (folder / "statements.secret").chmod(0o644)
    (folder / "sandbox.secret").chmod(0o640)
    server = ConfiguredServer(folder, SETTINGS.format(folder=folder, number=NUMBER))
    try:
        server.start()
        admin = Api(contract, server.base_url, server.admin_key)
        [bank] = [row for row in admin.all("/v1/channel_accounts") if row["kind"] == "bank"]
        yield World(server, admin, bank["id"])
        server.stop()
        server.verify()
    finally:
        server.clean_up()


def test_only_operators_see_bank_accounts_and_no_one_sees_the_number(world):
    bank = world.admin.get(f"/v1/channel_accounts/{world.account}")
    assert (bank["channel"], bank["state"]) == ("deutsche", "enabled")
    assert bank["settings"] == {"currency": "EUR", "number": "***2051"}
    merchant = world.admin.post("/v1/merchants", {"name": "shop"}, expect=201)
    key = world.admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
    shop = Api(world.admin.contract, world.server.base_url, key["key"])
    assert "deutsche" not in {row["channel"] for row in shop.all("/v1/channel_accounts")}
    refused = shop.request("POST", "/v1/orders", json={
        "merchant_order_no": "1", "amount": 100, "currency": "EUR", "subject": "tea", "payment": {"channel": "deutsche"}})
    assert refused.status_code == 400 and "channel" in refused.json()["param"], refused.text
    assert NUMBER not in world.server.log.read_text(encoding="utf-8")


def test_a_secret_that_all_users_can_read_is_reported(world):
    log = world.server.log.read_text(encoding="utf-8")
    assert f'run="chmod o= {world.server.data}/statements.secret"' in log
    assert "sandbox.secret" not in log, "the group can read it, other users cannot"


@pytest.mark.parametrize("file, lines, opening, closing", [(CSV, 2, 100_000, 194_650), (CAMT, 1, 500, 1_200)])
def test_an_uploaded_statement_is_checked_and_its_lines_are_shown(world, file, lines, opening, closing):
    date = (datetime.date.fromisoformat(DATE) - datetime.timedelta(days=lines)).isoformat()
    statement = world.ended(world.upload(file, date=date))
    assert (statement["state"], statement["source"], statement["lines"]) == ("matched", "uploaded", lines), statement
    [total] = statement["totals"]
    assert (total["opening_balance"], total["closing_balance"]) == (opening, closing)
    shown = world.admin.get(f"/v1/statements/{statement['id']}/lines")["data"]
    assert [row["kind"] for row in shown] == ["bank_credit", "bank_debit"][:lines]


@pytest.mark.parametrize("file, failure", [
    (CSV.replace("-3.50", "-3.51"), "do not add up"), (CSV.replace("{number}", "DE1"), "is not the account ***2051"),
    (CAMT.replace("{date}", "2020-01-01"), "no statement of the account ***2051"),
    (CAMT.replace("<Document", "<!DOCTYPE a><Document"), "document type"),
    ("PK\x03\x04\x14\x00 and its files", "the file is a ZIP archive")])
def test_an_invalid_statement_is_rejected_with_the_reason(world, file, failure):
    statement = world.ended(world.upload(file))
    assert statement["state"] == "rejected" and failure in statement["failure"], statement


def test_statements_of_banks_are_not_downloaded_and_are_of_the_kind_bank(world):
    fetched = world.admin.request("POST", "/v1/statements/fetch",
                                  json={"channel_account": world.account, "kind": "bank", "date": DATE})
    assert fetched.status_code == 400 and fetched.json()["param"] == "channel_account", fetched.text
    wrong = world.upload(CSV, kind="trades")
    assert wrong.status_code == 400 and wrong.json()["param"] == "kind", wrong.text


def run_import(world, file, *options, date=DATE):
    return subprocess.run([BINARY, "statements", "import", file, "--channel", "deutsche", "--kind", "bank", "--date",
                           date, "--server", world.server.base_url, *options], capture_output=True, text=True,
                          timeout=30, env=os.environ | {"FINALITY_KEY": world.server.admin_key})


def test_a_file_is_imported_by_command(world, tmp_path):
    file = tmp_path / "statement.csv"
    file.write_text(CSV.format(number=NUMBER, date=DATE))
    made = run_import(world, file)
    assert made.returncode == 0 and "bank statement of deutsche" in made.stdout, made.stderr
    assert made.stdout.endswith(", matched\n"), made.stdout


def test_an_import_ends_with_the_result_of_the_comparison(world, tmp_path):
    file = tmp_path / "statement.csv"
    file.write_text(CSV.format(number=NUMBER, date=DATE).replace(",B2,", ",B1,"))
    refused = run_import(world, file)
    assert refused.returncode == 1 and refused.stdout.endswith(", rejected\n"), refused.stderr
    assert "line 4, column reference: `B1` is also the reference of line 3" in refused.stderr, refused.stderr
    file.write_text(CSV.format(number=NUMBER, date=DATE).replace("Fee", "Fees"))
    made = run_import(world, file, "--no-wait")
    assert made.returncode == 0, made.stderr
    missing = run_import(world, tmp_path / "other.csv")
    assert missing.returncode == 2 and "cannot read" in missing.stderr
    wrong = run_import(world, file, date="2026-13-01")
    assert wrong.returncode == 2 and "calendar day" in wrong.stderr, wrong.stderr


def test_an_error_of_the_server_is_one_line_and_with_json_as_received(world, tmp_path):
    file = tmp_path / "statement.csv"
    file.write_text("no statement")
    refused = run_import(world, file, "--funds-account", "other")
    assert refused.returncode == 1 and "(field funds_account, request " in refused.stderr, refused.stderr
    assert "{" not in refused.stderr and refused.stderr.count("\n") == 1
    as_json = run_import(world, file, "--funds-account", "other", "--json").stderr
    assert json.loads(as_json[as_json.index("{"):])["param"] == "funds_account", as_json


def test_a_comparison_that_fails_is_reported(contract, tmp_path):
    """The file of the first version is encrypted with another key, so the second one cannot be compared with it."""
    for secret in ("statements", "sandbox"):
        (tmp_path / f"{secret}.secret").write_text("a secret of thirty-two characters")
    server = ConfiguredServer(tmp_path, SETTINGS.format(folder=tmp_path, number=NUMBER), clock=True)
    try:
        server.start()
        admin = Api(contract, server.base_url, server.admin_key)
        [bank] = [row for row in admin.all("/v1/channel_accounts") if row["kind"] == "bank"]
        world = World(server, admin, bank["id"])
        assert world.ended(world.upload(CSV))["state"] == "matched"
        server.stop()
        (tmp_path / "statements.secret").write_text("another secret of thirty-two characters")
        server.start()
        second = world.upload(CSV.replace("Fee", "Charge")).json()
        path = f"/v1/statements/{second['id']}"
        until(lambda: "failure" in admin.get(path), "the comparison has failed")
        failed = admin.get(path)
        assert (failed["version"], failed["state"]) == (2, "matching"), failed
        assert "statements.key_file has another key" in failed["failure"], failed
        [count] = re.findall(r"^finality_statement_comparison_failures_total (\S+)$", admin.current_metrics(), re.M)
        assert float(count) >= 1
        missing = {"class": "statement_missing", "state": "open"}
        assert admin.all("/v1/differences", **missing) == [], "it was received less than an hour ago"
        server.advance("2h")
        [row] = until(lambda: admin.all("/v1/differences", **missing), "the statement is reported")
        assert (row["date"], row["kind"], row["statement"]) == (DATE, "bank", second["id"]), row
        server.stop()
        server.verify()
    finally:
        server.clean_up()

"""A week of payments over three gateways, with the faults of channels and statements. Every fault is found once, in its
class, and nothing else is found. When two operators have resolved all cases, the books, the channels and the bank agree
to the cent. The faults are all those of the sandbox, and cause all classes of differences; NOT_INJECTED has the
exceptions.

FINALITY_WEEK_PAYMENTS sets the number of payments; FINALITY_WEEK_SEED repeats a run."""

import collections
import concurrent.futures
import dataclasses
import os
import random
import re
import time

import pytest

from finality_server import ROOT
from sandbox_client import net_paid
from statement_world import BANK, BASIS_POINTS, PLATFORM, check_proof, statement_world
from wait import until

PAYMENTS = int(os.environ.get("FINALITY_WEEK_PAYMENTS", "200"))
SEED = int(os.environ.get("FINALITY_WEEK_SEED", time.time_ns() % 1_000_000))
CHANNELS = ["sandbox", "alipay", "wechatpay"]
DAYS = 7
CARRY_DAYS = 4        # a withdrawal is credited a day later, and a missing credit is carried for three statements
CLIENTS = 16
FAULTY_SHARE = 0.1    # of the payments beyond one of each fault per channel
REFUNDED_SHARE = 0.3  # of the payments without a fault
CLEAN = ["pays", "pays", "pays", "notification_lost", "notification_doubled", "success_then_failure"]


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault of a payment, and the difference that it causes."""
    kind: str                # of the statement
    difference: str          # class; empty: none, see UNNOTICED
    state: str               # when the week is over
    is_of_order: bool = True
    attempts: int = 5        # of the order
    is_refunded: bool = False


FAULTS = {
    "drop_line": Fault("trades", "missing_at_channel", "open"),
    "double_line": Fault("trades", "duplicate_at_channel", "open"),
    "other_amount": Fault("trades", "amount_mismatch", "open"),
    "other_currency": Fault("trades", "currency_mismatch", "open"),
    "other_discount": Fault("trades", "discount_mismatch", "open"),
    "other_fee": Fault("trades", "cost_mismatch", "open"),
    "other_status": Fault("trades", "refund_status", "open", is_refunded=True),
    "shift_day": Fault("trades", "missing_at_channel", "repaired"),
    "mixed_numbers": Fault("trades", "identity_conflict", "open"),
    "console_refund": Fault("trades", "external_refund", "repaired"),
    "foreign_payment": Fault("trades", "unknown_receipt", "repaired", is_of_order=False),
    "late_payment_unnotified": Fault("trades", "late_status", "repaired", attempts=1),
    "late_refund_failure": Fault("funds", "refund_status", "open", is_refunded=True),
    "drop_funds_line": Fault("funds", "trade_without_funds", "open", is_of_order=False),
    "double_funds_line": Fault("funds", "duplicate_at_channel", "open"),
    "other_funds_fee": Fault("funds", "", ""),
}
# Faults without a difference, and why.
UNNOTICED = {"other_funds_fee": "fees are posted as the funds statement states them; only the fee of a line of trades "
                                "is compared with the rate"}
# Over WeChat Pay the books have the refund only when it succeeds under another number. The difference of the deduction
# ends when the channel credits it again.
STATES = {("wechatpay", "late_refund_failure"): "repaired"}
# Over WeChat Pay a declined payment stays open. Over Alipay no refund fails late, and its bills have no currency and no
# status.
WITHOUT = {("wechatpay", "late_payment_unnotified"), ("alipay", "late_refund_failure"), ("alipay", "other_currency"),
           ("alipay", "other_status")}

# Faults of whole days: day, channel, name.
DAY_FAULTS = [(0, "wechatpay", "legacy_layout"), (0, "alipay", "withdrawn_line"),
              (1, "sandbox", "withdrawal_not_credited"), (1, "wechatpay", "late_file"),
              (1, "alipay", "unknown_funds_line"),
              (2, "sandbox", "unknown_funds_line"), (2, "alipay", "second_version"), (2, "wechatpay", "balance_break"),
              (3, "sandbox", "withdrawn_line"),
              (4, "sandbox", "balance_break"), (4, "wechatpay", "unknown_funds_line"), (4, "alipay", "late_file"),
              (5, "sandbox", "second_version"), (5, "wechatpay", "second_version"), (5, "alipay", "balance_break"),
              (6, "wechatpay", "withdrawn_line"), (6, "alipay", "early_file")]
FIRST, LAST = "first", "last"   # payments of the day
VERSIONS = ("second_version", "withdrawn_line")  # faults that change the statement of trades after four hours
# The differences that each one causes: (kind of the statement, class, state, payment). Those of a bank statement are
# differences of the bank account.
DAY_DIFFERENCES = {
    "withdrawal_not_credited": [("bank", "trade_without_funds", "open", "")],
    "late_file": [("trades", "statement_missing", "repaired", ""), ("funds", "statement_missing", "repaired", "")],
    "unknown_funds_line": [("funds", "funds_line_unknown", "open", "")],
    "balance_break": 2 * [("funds", "balance_break", "open", "")],  # and back on the next day
    # The first version contains the first payment twice, and not the last one. The second version corrects it.
    "second_version": [("trades", "duplicate_at_channel", "repaired", FIRST),
                       ("trades", "missing_at_channel", "repaired", LAST)],
    "withdrawn_line": [("trades", "line_withdrawn", "open", LAST)],
    "early_file": [],
    "legacy_layout": [],
}
# Scenarios, faults of days and classes that the week does not have, and why.
NOT_INJECTED = {
    "console_refund_before_payment_known": "a notification reports the refund before a statement does",
    "missing_day": "a day that never has statements cannot be proven; late_file causes the same class",
    "day_cut": "no comparison records it: shift_day is carried, then matched",
}
PENALTIES = [(2, "sandbox", 250), (4, "alipay", 251), (6, "wechatpay", 252)]
EMPTY = (3, "wechatpay")   # a day without movements
RESOLUTIONS = {"conflicting_result": "keep", "external_refund": "accept", "paid_after_failure": "acknowledge",
               "unknown_receipt": "keep"}


def is_excluded(day, channel, scenario):
    """Whether the payment cannot be on the day: it has no movements, the first version of the next day's statement
    would contain this payment twice, the layout has no discount, or it could be the first payment of the account."""
    return ((day, channel) == EMPTY or (scenario == "shift_day" and (day + 1, channel, "second_version") in DAY_FAULTS)
            or (scenario == "other_discount" and (day, channel, "legacy_layout") in DAY_FAULTS)
            or (scenario == "mixed_numbers" and day == 0))


class Week:
    """The week as it happens: its orders, and the differences to be found."""

    def __init__(self, world):
        self.world = world
        self.random = random.Random(SEED)
        self.orders = {}   # by id
        self.foreign = 0   # payments of unknown numbers
        self.credited_twice = collections.Counter()  # by order
        self.withdrawn = set()
        self.expected = collections.Counter()  # of (channel, kind, class, order or "", state)
        self.days = []

    def expect(self, channel, kind, difference, state, order="", count=1):
        self.expected[channel, kind, difference, order, state] += count

    def plan(self):
        """Returns the payments of each day: (channel, scenario, amount, refunded amount)."""
        faults = [(channel, name) for channel in CHANNELS for name in FAULTS if (channel, name) not in WITHOUT]
        faults += self.random.choices(faults, k=int(max(0, PAYMENTS - len(faults)) * FAULTY_SHARE))
        clean = [(self.random.choice(CHANNELS), self.random.choice(CLEAN)) for _ in range(PAYMENTS - len(faults))]
        days = [[] for _ in range(DAYS)]
        for channel, scenario in faults + clean:
            day = self.random.choice([at for at in range(DAYS) if not is_excluded(at, channel, scenario)])
            amount = self.random.randint(100, 99_999)
            days[day].append((channel, scenario, amount, self.refunded_of(scenario, amount)))
        return days

    def refunded_of(self, scenario, amount):
        if scenario in FAULTS:
            return amount // 2 if FAULTS[scenario].is_refunded else 0
        is_refunded = self.random.random() < REFUNDED_SHARE
        return self.random.choice([amount, self.random.randint(1, amount)]) if is_refunded else 0

    # A day.

    def live(self, day, payments):
        """Lives through the day, and closes it on the next morning."""
        world = self.world
        faults = [(channel, name) for at, channel, name in DAY_FAULTS if at == day]
        for channel, name in faults:
            world.set_fault(name, channel)
        of_versions = [channel for channel, name in faults if name in VERSIONS]
        named = {(channel, FIRST): self.pay((channel, "pays", 1000, 0))["id"] for channel in of_versions}
        self.pay_all(payments)
        named |= {(channel, LAST): self.pay((channel, "pays", 1000, 0))["id"] for channel in of_versions}
        for channel, name in faults:
            for kind, difference, state, payment in DAY_DIFFERENCES[name]:
                account = BANK if kind == "bank" else channel
                self.expect(account, kind, difference, state, named.get((channel, payment), ""))
        for at, channel, amount in PENALTIES:
            if at == day:
                world.sandbox.act_on_statements(channel, "penalty", currency="CNY", amount=amount)
                if channel != "sandbox":  # its statement names penalties; the types of the others are not documented
                    self.expect(channel, "funds", "funds_line_unknown", "open")
        for channel in CHANNELS:
            if (day, channel) != EMPTY:
                self.withdraw(channel)
        self.close(faults)

    def withdraw(self, channel):
        amount = self.world.balance_at(channel) // self.random.randint(3, 9)
        while amount in self.withdrawn:
            amount -= 1
        if amount > 0:
            self.withdrawn.add(amount)
            self.world.withdraw(amount, channel)

    def close(self, faults=()):
        world = self.world
        date = world.today()
        self.days.append(date)
        names = collections.defaultdict(list)
        for channel, name in faults:
            names[name].append(channel)
        world.pass_to(10)
        for channel in set(CHANNELS) - set(names["late_file"]):
            world.wait_until_compared(date, [channel])
        if names["late_file"]:
            self.wait_for_late_files(date, names["late_file"])
        changed = [channel for name in VERSIONS for channel in names[name]]
        if changed:
            world.pass_to(14)
        for channel in changed:
            assert world.fetch(date, channel, "trades")["version"] == 2
        world.import_bank_statement(date)

    def wait_for_late_files(self, date, channels):
        world = self.world
        world.pass_to(12)
        for channel in channels:
            until(lambda: len(world.differences(date, channel, **{"class": "statement_missing"})) == 2,
                  "the statements are reported as missing", timeout=60)
        world.pass_to(18)
        world.wait_until_compared(date, channels)

    # Payments.

    def pay_all(self, payments):
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            orders = list(pool.map(self.pay, payments))
        for (channel, scenario, amount, _), order in zip(payments, orders):
            self.foreign += scenario == "foreign_payment"
            if scenario in FAULTS:
                self.expect_of_payment(channel, scenario, order["id"])
            if scenario == "double_funds_line":
                self.credited_twice[order["id"]] += amount
        until(lambda: self.has_happened(payments, orders), "the payers have done everything", timeout=60)

    def expect_of_payment(self, channel, scenario, order):
        fault = FAULTS[scenario]
        if scenario not in UNNOTICED:
            state = STATES.get((channel, scenario), fault.state)
            self.expect(channel, fault.kind, fault.difference, state, order if fault.is_of_order else "")

    def pay(self, payment):
        channel, scenario, amount, refunded = payment
        fault = FAULTS.get(scenario)
        order = self.world.paid(channel, scenario, amount, attempts=fault.attempts if fault else 5)
        self.orders[order["id"]] = order
        if refunded:
            refund = self.world.shop.create_refund(order["payments"][0]["id"], amount=refunded)
            states = ("processing", "succeeded") if fault else ("succeeded",)
            until(lambda: self.world.shop.get(f"/v1/refunds/{refund['id']}")["state"] in states, "the refund is made",
                  timeout=60)
        return order

    def has_happened(self, payments, orders):
        """Whether the payments and refunds that no notification reports have been made."""
        trades = self.world.sandbox.ledger()
        for (_, scenario, _, _), order in zip(payments, orders):
            trade = trades[order["payments"][0]["out_trade_no"]]
            if scenario == "late_payment_unnotified" and trade["state"] != "paid":
                return False
            if scenario == "console_refund" and trade["refunded"] == 0:
                return False
        # The sandbox invents these numbers.
        return sum(number.startswith("F") and one["state"] == "paid" for number, one in trades.items()) == self.foreign


def found(world):
    """Returns the differences that were found, in the form of Week.expected."""
    names = {account: channel for channel, account in world.accounts.items()}
    return collections.Counter(
        (names[row["channel_account"]], row["kind"], row["class"], row.get("order", ""), row["state"])
        for row in world.differences())


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def scenarios_of_statements():
    """Returns the sandbox's scenarios that put faults into statements, or whose facts only a statement reports."""
    marks = re.compile(r"\.statement = |\.notifies_(paid|refunds_of_channel) = false|Act::pay_foreign")
    parts = text_of("sandbox/core/scenario.cpp").split('{.name = "')[1:]
    return {part.split('"')[0] for part in parts if marks.search(part)}


def names_of_enum(text):
    return set(re.findall(r"\b[a-z_]+\b", text))


def faults_of_days():
    source = text_of("sandbox/statements/statement_tables.h")
    return names_of_enum(re.search(r"ENUM_CLASS\(DayFault,(.*?)\)", source, re.DOTALL)[1])


def difference_classes():
    source = text_of("src/model/objects/difference.h")
    return names_of_enum(re.search(r"DESCRIBE_ENUM\(DifferenceClass,(.*?)\)", source, re.DOTALL)[1])


def test_the_week_has_every_fault_of_the_sandbox_and_every_class():
    days = {name for _, _, name in DAY_FAULTS}
    assert days == set(DAY_DIFFERENCES)
    assert set(UNNOTICED) == {name for name, one in FAULTS.items() if not one.difference}
    assert all(set(CHANNELS) - {channel for channel, of in WITHOUT if of == name} for name in FAULTS)
    classes = {one.difference for one in FAULTS.values() if one.difference}
    classes |= {difference for found in DAY_DIFFERENCES.values() for _, difference, _, _ in found}
    existing = scenarios_of_statements() | faults_of_days() | difference_classes()
    assert len(existing) > 40, "the patterns find the names in the sources"
    assert existing - set(FAULTS) - days - classes == set(NOT_INJECTED)
    assert set(FAULTS) | days | classes <= existing


@pytest.fixture(scope="module")
def world(contract, tmp_path_factory):
    with statement_world(tmp_path_factory.mktemp("week"), contract, CHANNELS) as world:
        yield world


def resolve_all(world):
    """Two operators resolve all cases: they adjust the differences of the balance, and keep the others."""
    for difference in world.differences(state="open"):
        world.resolve_difference(difference, "adjust" if difference["changes_balance"] else "keep")
    for merchant in (world.merchant, PLATFORM):
        for case in world.of("operator", merchant).all("/v1/cases", state="open"):
            world.resolve(case["id"], merchant, RESOLUTIONS[case["kind"]])


def check_orders(world, week):
    """Checks that each order has the money that the payer paid, as the sandbox's ledger has it, and that the channel
    credited twice, with the differences of the balance that operators adjusted."""
    adjusted = collections.Counter()
    for difference in world.differences(state="resolved"):
        if difference["changes_balance"]:
            adjusted[difference.get("order")] += difference["amount"]
    trades = world.sandbox.ledger()
    for known in week.orders.values():
        order = world.shop.order(known["id"])
        upstream = sum(net_paid(trades[payment["out_trade_no"]]) for payment in order["payments"])
        reversed_amount = sum(payment["reversed_amount"] for payment in order["payments"])
        paid_amount = sum(payment["paid_amount"] for payment in order["payments"])
        books = paid_amount - reversed_amount - order["refunded_amount"]
        credited = upstream + week.credited_twice[order["id"]]
        assert books + adjusted[order["id"]] == credited, (order, upstream, credited)


def bank_balance(world, date):
    """Returns the closing balance of the day, as the bank states it."""
    statement = world.operator.get(f"/v1/statements/{world.statement(date, BANK, 'bank')['id']}")
    [total] = statement["totals"]
    return total["closing_balance"]


def test_every_fault_of_the_week_is_found_once_and_all_balances_agree_in_the_end(world):
    print(f"FINALITY_WEEK_SEED={SEED}")
    week = Week(world)
    for channel in CHANNELS:
        world.admin.put("/v1/channel_rates", {"channel_account": world.accounts[channel], "basis_points": BASIS_POINTS,
                                              "from": world.today()})
    world.pass_to(12)
    for day, payments in enumerate(week.plan()):
        week.live(day, payments)
    for _ in range(CARRY_DAYS):
        week.close()
    assert found(world) == week.expected

    repaired = world.differences(state="repaired")
    assert all("repaired_by" in row for row in repaired), repaired
    assert all("case" in world.operator.get(f"/v1/differences/{row['id']}") for row in world.differences(state="open"))
    resolve_all(world)
    week.close()
    week.close()
    for date in week.days:
        for name in [*CHANNELS, BANK]:
            for row in world.reconciliation(name, date, date):
                check_proof(row)
                assert row["result"] == "balanced" or (name, date) == (BANK, week.days[0]), row
    last = week.days[-1]
    for channel in CHANNELS:
        proof = world.proven(last, channel)["proof"]
        assert proof["books"] == proof["statement"] == world.balance_at(channel), (channel, proof)
    proof = world.proven(last, BANK)["proof"]
    assert proof["books"] == proof["statement"] == bank_balance(world, last)
    check_orders(world, week)
    world.server.verify()

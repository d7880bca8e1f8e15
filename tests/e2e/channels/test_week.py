"""A week of payments over three gateways, with the faults of channels and statements. Every fault is found once, in its
class, and nothing else is found. When two operators have resolved all cases, the books, the channels and the bank agree
to the cent.

FINALITY_WEEK_PAYMENTS sets the number of payments; FINALITY_WEEK_SEED repeats a run."""

import collections
import concurrent.futures
import dataclasses
import os
import random
import time

import pytest

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
    difference: str          # class
    state: str               # when the week is over
    is_of_order: bool = True
    attempts: int = 5        # of the order
    is_refunded: bool = False


FAULTS = {
    "drop_line": Fault("trades", "missing_at_channel", "open"),
    "double_line": Fault("trades", "duplicate_at_channel", "open"),
    "other_amount": Fault("trades", "amount_mismatch", "open"),
    "other_discount": Fault("trades", "discount_mismatch", "open"),
    "other_fee": Fault("trades", "cost_mismatch", "open"),
    "shift_day": Fault("trades", "missing_at_channel", "repaired"),
    "console_refund": Fault("trades", "external_refund", "repaired"),
    "foreign_payment": Fault("trades", "unknown_receipt", "repaired", is_of_order=False),
    "late_payment_unnotified": Fault("trades", "late_status", "repaired", attempts=1),
    "late_refund_failure": Fault("funds", "refund_status", "open", is_refunded=True),
}
# Over WeChat Pay the books have the refund only when it succeeds under another number. The difference of the deduction
# ends when the channel credits it again.
STATES = {("wechatpay", "late_refund_failure"): "repaired"}
# Over WeChat Pay a declined payment stays open. Over Alipay no refund fails late.
WITHOUT = {("wechatpay", "late_payment_unnotified"), ("alipay", "late_refund_failure")}

# Faults of whole days: day, channel, name.
DAY_FAULTS = [(1, "sandbox", "withdrawal_not_credited"), (1, "wechatpay", "late_file"),
              (1, "alipay", "unknown_funds_line"),
              (2, "sandbox", "unknown_funds_line"), (2, "alipay", "second_version"), (2, "wechatpay", "balance_break"),
              (4, "sandbox", "balance_break"), (4, "wechatpay", "unknown_funds_line"), (4, "alipay", "late_file"),
              (5, "sandbox", "second_version"), (5, "wechatpay", "second_version"), (5, "alipay", "balance_break")]
PENALTIES = [(2, "sandbox", 250), (4, "alipay", 251), (6, "wechatpay", 252)]
EMPTY = (3, "wechatpay")   # a day without movements
RESOLUTIONS = {"conflicting_result": "keep", "external_refund": "accept", "paid_after_failure": "acknowledge",
               "unknown_receipt": "keep"}


def is_excluded(day, channel, scenario):
    """Whether the payment cannot be on the day: it has no movements, or the first version of the next day's statement
    would contain this payment twice."""
    return (day, channel) == EMPTY or (scenario == "shift_day" and (day + 1, channel, "second_version") in DAY_FAULTS)


class Week:
    """The week as it happens: its orders, and the differences to be found."""

    def __init__(self, world):
        self.world = world
        self.random = random.Random(SEED)
        self.orders = {}   # by id
        self.foreign = 0   # payments of unknown numbers
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
        of_versions = [channel for channel, name in faults if name == "second_version"]
        firsts = [self.pay((channel, "pays", 1000, 0)) for channel in of_versions]
        self.pay_all(payments)
        lasts = [self.pay((channel, "pays", 1000, 0)) for channel in of_versions]
        for channel, first, last in zip(of_versions, firsts, lasts):
            # The first version contains the first payment twice, and not the last one. The second version corrects it.
            self.expect(channel, "trades", "duplicate_at_channel", "repaired", first["id"])
            self.expect(channel, "trades", "missing_at_channel", "repaired", last["id"])
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
        if names["second_version"]:
            world.pass_to(14)
        for channel in names["second_version"]:
            assert world.fetch(date, channel, "trades")["version"] == 2
        for name, channels in names.items():
            for channel in channels:
                self.expect_of_day(channel, name)
        world.import_bank_statement(date)

    def wait_for_late_files(self, date, channels):
        world = self.world
        world.pass_to(12)
        for channel in channels:
            until(lambda: len(world.differences(date, channel, **{"class": "statement_missing"})) == 2,
                  "the statements are reported as missing", timeout=60)
        world.pass_to(18)
        world.wait_until_compared(date, channels)

    def expect_of_day(self, channel, fault):
        if fault == "unknown_funds_line":
            self.expect(channel, "funds", "funds_line_unknown", "open")
        elif fault == "late_file":
            self.expect(channel, "trades", "statement_missing", "repaired")
            self.expect(channel, "funds", "statement_missing", "repaired")
        elif fault == "balance_break":  # the balance changes, and changes back on the next day
            self.expect(channel, "funds", "balance_break", "open", count=2)
        elif fault == "withdrawal_not_credited":
            self.expect(BANK, "bank", "trade_without_funds", "open")

    # Payments.

    def pay_all(self, payments):
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            orders = list(pool.map(self.pay, payments))
        for (channel, scenario, _, _), order in zip(payments, orders):
            self.foreign += scenario == "foreign_payment"
            if scenario in FAULTS:
                fault = FAULTS[scenario]
                state = STATES.get((channel, scenario), fault.state)
                self.expect(channel, fault.kind, fault.difference, state, order["id"] if fault.is_of_order else "")
        until(lambda: self.has_happened(payments, orders), "the payers have done everything", timeout=60)

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


def check_orders(world, orders):
    """Checks that each order has the money that the payer paid, as the sandbox's ledger has it, and the differences of
    the balance that operators adjusted."""
    adjusted = collections.Counter()
    for difference in world.differences(state="resolved"):
        if difference["changes_balance"]:
            adjusted[difference.get("order")] += difference["amount"]
    trades = world.sandbox.ledger()
    for known in orders.values():
        order = world.shop.order(known["id"])
        upstream = sum(net_paid(trades[payment["out_trade_no"]]) for payment in order["payments"])
        reversed_amount = sum(payment["reversed_amount"] for payment in order["payments"])
        paid_amount = sum(payment["paid_amount"] for payment in order["payments"])
        books = paid_amount - reversed_amount - order["refunded_amount"]
        assert books + adjusted[order["id"]] == upstream, (order, upstream)


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
    check_orders(world, week.orders)
    world.server.verify()

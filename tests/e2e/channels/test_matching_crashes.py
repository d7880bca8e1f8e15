"""The server is killed with SIGKILL again and again while it compares a day's statements of trades and of funds. In the
end the day is compared as in another store, where nothing was killed: each line and each difference once, and each fee
and withdrawal posted once.

FINALITY_MATCHING_SEED repeats the random choices of a run. FINALITY_MATCHING_KILLS is the number of kills that must hit
a comparison in progress, in all versions of the statements together."""

import collections
import concurrent.futures
import contextlib
import os
import random
import time

import pytest

from recording_proxy import CapturedResponse
from sandbox_signature import secret_of
from simple_statement import StatementProxy
from statement_world import BASIS_POINTS, PLATFORM, statement_world
from store_sql import ask
from wait import until

SEED = int(os.environ.get("FINALITY_MATCHING_SEED", time.time_ns() % 1_000_000))
HITS = int(os.environ.get("FINALITY_MATCHING_KILLS", "14"))  # kills that must have interrupted a comparison
KILLS = HITS // 2     # per statement, at most: a kill after the end of the comparison is the last one
HITS_FIRST = HITS // 2  # of HITS, of the first versions
KILLS_AGAIN = 4       # per statement of a later version
VERSIONS_MAX = 6      # of each statement, until there were enough hits
CLAIM = "301s"        # until the claim of a killed server has expired
CLIENTS = 16
KILLED_UNTIL = 0.7    # of the duration of an undisturbed comparison
# The comparisons take long enough:
DECLINED = 60         # failed payments per line of the statement of trades
CHARGES = 30          # penalties of one cent per payment in the funds statement
CARRIED_BEFORE = 3    # payments that the statement of the day before does not list

CLEAN = {"pays": 120, "refunded": 60}
# Faults of the statement of trades: scenario, payments, class and state of the difference.
TRADES_FAULTS = [("drop_line", 6, "missing_at_channel", "carried"), ("double_line", 6, "duplicate_at_channel", "open"),
                 ("other_amount", 6, "amount_mismatch", "open"), ("other_discount", 6, "discount_mismatch", "open"),
                 ("other_fee", 6, "cost_mismatch", "open"), ("late_payment_unnotified", 30, "late_status", "repaired"),
                 ("console_refund", 20, "external_refund", "repaired"),
                 ("foreign_payment", 20, "unknown_receipt", "repaired")]
# Faults of the funds statement: what the proxy does with the line of the payment.
FUNDS_FAULTS = [("dropped", 6, "trade_without_funds", "carried"), ("doubled", 6, "duplicate_at_channel", "open"),
                ("raised", 6, "amount_mismatch", "open")]
WITHDRAWALS = [1_000 + number for number in range(10)]
TOP_UPS = [500, 501]
PENALTIES = [250, 251]
KINDS = ("trades", "funds")
NO_NUMBERS = {"out_trade_no": "", "refund_no": "", "out_refund_no": ""}


class StatementFaults:
    """Changes the statements of one day. The same statement always becomes the same file, unless `shuffle_seed` is
    changed."""

    def __init__(self):
        self.date = None
        self.numbers = {name: set() for name, *_ in FUNDS_FAULTS}  # out_trade_no of the payments
        self.shuffle_seed = None

    def __call__(self, statement):
        if statement.head["date"] != self.date:
            return
        change = self._trade if statement.kind == "trades" else self._funds
        statement.lines = [changed for line in statement.lines for changed in change(line)]
        if self.shuffle_seed is not None:
            random.Random(self.shuffle_seed).shuffle(statement.lines)

    @staticmethod
    def _trade(line):
        nothing = NO_NUMBERS | {"discount": "0.00", "fee": "0.00"}
        number = f"declined-{line['trade_no']}-{line['refund_no']}-{line['amount']}"
        return [line] + [line | nothing | {"type": "payment", "status": "failed", "trade_no": f"{number}-{place}"}
                         for place in range(DECLINED)]

    def _funds(self, line):
        if line["type"] != "payment":
            return [line]
        charge = line | NO_NUMBERS | {"trade_no": "", "type": "penalty", "amount": "-0.01"}
        charges = [charge | {"line_id": f"{line['line_id']}-charge-{place}"} for place in range(CHARGES)]
        return self._payment(line) + charges

    def _payment(self, line):
        if line["out_trade_no"] in self.numbers["dropped"]:
            return []
        if line["out_trade_no"] in self.numbers["doubled"]:
            return [line, line | {"line_id": f"{line['line_id']}-again"}]
        if line["out_trade_no"] in self.numbers["raised"]:
            whole, cents = line["amount"].split(".")
            return [line | {"amount": f"{int(whole) + 1}.{cents}"}]
        return [line]


class StatementsOnly(StatementProxy):
    """Forwards requests for statements only: the second server must not return payments at the channel too."""

    def _respond(self, request):
        if "/statements?" in request.target:
            return super()._respond(request)
        return CapturedResponse(503, (), b"")


class Found:
    """What a store has of a compared day. Two stores with the same payments and statements have the same, because ids
    and times of comparisons are left out."""

    def __init__(self, world, date):
        self._world = world
        self._date = date
        self.statements = {kind: world.operator.get(f"/v1/statements/{world.statement(date, kind=kind)['id']}")
                           for kind in KINDS}
        self.counts = {kind: statement["counts"] for kind, statement in self.statements.items()}
        self.movements = self._movements()
        self.differences = self._differences()
        self.cases = self._cases()
        self.matches = [self._ask("SELECT m.line_no, m.document_type, s.kind, s.date, s.file_version "
                                  f"FROM {table} m JOIN statements s ON s.id = m.statement_id "
                                  "ORDER BY s.date, s.file_version, m.line_no")
                        for table in ("statement_matches", "funds_matches")]
        self.posted = self._posted()
        self.documents = [self._ask(f"SELECT count(*) FROM {table}")
                          for table in ("receipts", "refunds", "unknown_receipts")]
        self.proof = self._proof()

    def classes(self, date):
        """Returns how many differences of the day there are: {(kind, class, state): count}."""
        classes = collections.Counter()
        for (of_day, *what, _), count in self.differences.items():
            if of_day == date:
                classes[tuple(what[:3])] += count
        return classes

    def _ask(self, sql):
        return ask(self._world.server.store, sql)

    def _movements(self):
        """Returns {(kind, day of the entries): (lines, amount)} of the lines of funds that the books have."""
        sums = collections.defaultdict(lambda: (0, 0))
        for row in self.statements["funds"]["movements"]:
            lines, amount = sums[row["kind"], row["booked_on"]]
            sums[row["kind"], row["booked_on"]] = lines + row["lines"], amount + row["amount"]
        return dict(sums)

    def _differences(self):
        names = ("date", "kind", "class", "state", "also", "order", "subject", "line_no", "ours", "theirs", "amount",
                 "changes_balance", "missed")
        return collections.Counter(tuple(str(row.get(name)) for name in names) for row in self._world.differences())

    def _cases(self):
        """Returns the number of cases of each kind that comparisons open."""
        cases = [case for merchant in (self._world.merchant, PLATFORM)
                 for case in self._world.of("operator", merchant).all("/v1/cases")]
        return collections.Counter(case["kind"] for case in cases if case["kind"] in ("difference", "unknown_receipt"))

    def _posted(self):
        """Returns {type: (number of journals, sum)} of the journals that the funds statements of the day posted."""
        rows = self._ask("SELECT e.type, count(DISTINCT e.journal_id), sum(abs(e.amount)) FROM entries e "
                         "JOIN statements s ON s.id = e.document_id WHERE e.document_type = 'statement' "
                         f"AND s.date = '{self._date}' GROUP BY e.type")
        return {entry_type: (int(journals), int(amount) // 2) for entry_type, journals, amount in rows}

    def _proof(self):
        """Returns the proof of the day, which must add up without an unexplained amount."""
        row = self._world.proven(self._date)
        items = [{name: value for name, value in item.items() if name != "difference"}
                 for item in row["proof"]["items"]]
        return row["result"], row["differences"], row["proof"] | {"items": sorted(items, key=str)}


class Day:
    """A day that is compared in two stores: `killed`, and `calm`, in which no comparison is interrupted."""

    def __init__(self, parts, world, calm_directory):
        self.world = world
        self.dice = random.Random(SEED)
        self.hits = collections.Counter()  # kills that interrupted a comparison, by kind and version of the statement
        self.differences_at_kill = collections.defaultdict(list)
        self._pay_the_day_before()
        self.date = world.faults.date = world.today()
        self._pay()
        world.server.stop()
        calm_way = StatementsOnly(world.upstream.url, secret_of(world.upstream), world.faults)
        parts.callback(calm_way.stop)
        world.pass_to(10, 0)
        calm = world.copy(parts, calm_directory, calm_way.url)
        self.seconds = self._seconds_of_comparisons(calm)
        self.calm = Found(calm, self.date)
        calm.server.stop()
        calm.server.verify()
        for kind in KINDS:
            self.kill_while_comparing(kind, 1, KILLS)
        self.restart()
        world.wait_until_compared(self.date)
        self.killed = Found(world, self.date)

    def _pay_the_day_before(self):
        world = self.world
        world.admin.put("/v1/channel_rates", {"channel_account": world.accounts["sandbox"],
                                              "basis_points": BASIS_POINTS, "from": world.today()})
        world.pass_to(12)
        self.date_before = world.today()
        self._pay_all(["drop_line"] * CARRIED_BEFORE)
        world.pass_to(10)
        world.wait_until_compared(self.date_before)
        world.pass_to(12)

    def _pay(self):
        world = self.world
        stories = [name for name, count in CLEAN.items() for _ in range(count)]
        stories += [name for name, count, *_ in TRADES_FAULTS + FUNDS_FAULTS for _ in range(count)]
        self.dice.shuffle(stories)
        for story, order in zip(stories, self._pay_all(stories)):
            if story in world.faults.numbers:
                world.faults.numbers[story].add(order["payments"][0]["out_trade_no"])
        until(world.sandbox.is_quiet, "the payers have done everything", timeout=60)
        for action, amounts in (("top_up", TOP_UPS), ("withdraw", WITHDRAWALS), ("penalty", PENALTIES)):
            for amount in amounts:
                world.sandbox.act_on_statements("sandbox", action, currency="CNY", amount=amount)
        world.set_fault("unknown_funds_line")

    def _pay_all(self, stories):
        payments = [(story, self.dice.randint(1_000, 99_999)) for story in stories]
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            return list(pool.map(lambda payment: self._pay_one(*payment), payments))

    def _pay_one(self, story, amount):
        scenario = story if any(story == name for name, *_ in TRADES_FAULTS) else "pays"
        order = self.world.paid("sandbox", scenario, amount, attempts=1)
        if story == "refunded":
            assert self.world.refunded(order, amount // 3)["state"] == "succeeded"
        return order

    # The comparisons.

    def _seconds_of_comparisons(self, calm):
        """Waits until the statements are compared in the store without kills. Returns {kind: seconds}."""
        seconds = {}
        for kind in KINDS:
            def state(expected):
                return self._comparison(calm, self.date, kind, 1)[0] in expected
            until(lambda: state(("matching", "matched")), f"{kind} is compared", timeout=60, every=0.001)
            begin = time.monotonic()
            until(lambda: state(("matched",)), f"{kind} is matched", timeout=60, every=0.001)
            seconds[kind] = time.monotonic() - begin
        return seconds

    @staticmethod
    def _comparison(world, date, kind, version):
        """Returns the state of the version of the statement, and until when a server has claimed it."""
        rows = ask(world.server.store, f"SELECT state, due_at FROM statements WHERE kind = '{kind}' "
                                       f"AND date = '{date}' AND file_version = {version}")
        return rows[0] if rows else ("expected", "")

    def kill_while_comparing(self, kind, version, kills):
        """Kills the server at random times of the comparison, the late ones last, until it was killed that often or the
        comparison has ended. REQUIRES: the server does not run."""
        world = self.world
        for pause in sorted(self.dice.uniform(0, KILLED_UNTIL * self.seconds[kind]) for _ in range(kills)):
            known = self._comparison(world, self.date, kind, version)
            world.server.advance(CLAIM)
            world.server.launch()

            def claimed():
                now = self._comparison(world, self.date, kind, version)
                return now[0] == "matched" or (now[0] == "matching" and now != known)
            until(claimed, f"{kind} is compared", timeout=60, every=0.001)
            end = time.monotonic() + pause
            while time.monotonic() < end and self._comparison(world, self.date, kind, version)[0] == "matching":
                time.sleep(0.001)
            world.server.kill()  # at once if the comparison has ended, because the next one begins
            if self._comparison(world, self.date, kind, version)[0] != "matching":
                return
            self.hits[kind, version] += 1
            [(found,)] = ask(world.server.store, "SELECT count(*) FROM differences "
                                                 f"WHERE kind = '{kind}' AND date = '{self.date}'")
            self.differences_at_kill[kind, version].append(int(found))

    def compare_shuffled(self, version):
        """Compares that version of both files, whose lines are in another order, and kills the server meanwhile."""
        world = self.world
        world.faults.shuffle_seed = SEED + version
        for kind in KINDS:
            world.operator.post("/v1/statements/fetch", {"channel_account": world.accounts["sandbox"], "kind": kind,
                                                         "date": self.date}, expect=202)
        world.server.kill()
        for kind in KINDS:
            self.kill_while_comparing(kind, version, KILLS_AGAIN)
        self.restart()
        until(lambda: all(world.statement(self.date, kind=kind)["version"] == version for kind in KINDS),
              f"the versions {version} are compared", timeout=60)

    def restart(self):
        """Starts the server after the last kill, and lets it continue the comparisons."""
        self.world.server.start()
        self.world.server.advance(CLAIM)


@pytest.fixture(scope="module")
def day(contract, tmp_path_factory):
    print(f"FINALITY_MATCHING_SEED={SEED}")
    directory = tmp_path_factory.mktemp("matching")
    with contextlib.ExitStack() as parts:

        def prepare(world):
            world.faults = StatementFaults()
            world.way = StatementProxy(world.upstream.url, secret_of(world.upstream), world.faults)
            parts.callback(world.way.stop)
            world.gateway_url = world.way.url

        with statement_world(directory / "killed", contract, ["sandbox"], prepare) as world:
            yield Day(parts, world, directory / "calm")


def expected_classes():
    expected = collections.Counter()
    for kind, faults in (("trades", TRADES_FAULTS), ("funds", FUNDS_FAULTS)):
        for _, count, difference_class, state in faults:
            expected[kind, difference_class, state] += count
    expected["funds", "funds_line_unknown", "open"] += 1
    return expected


def test_the_kills_interrupted_the_comparisons(day):
    print(f"hits {day.hits}, differences at the kills {day.differences_at_kill}, seconds undisturbed {day.seconds}")
    assert sum(day.hits[kind, 1] for kind in KINDS) >= HITS_FIRST, day.hits
    final = expected_classes()
    assert any(0 < found < sum(count for (kind, *_), count in final.items() if kind == "trades")
               for found in day.differences_at_kill["trades", 1]), day.differences_at_kill


def test_every_difference_exists_once_in_its_class(day):
    assert day.calm.classes(day.date) == expected_classes()
    assert max(day.killed.differences.values()) == 1
    assert day.killed.differences == day.calm.differences
    assert day.killed.classes(day.date_before) == {("trades", "missing_at_channel", "carried"): CARRIED_BEFORE}


def test_the_statements_have_the_counts_of_an_undisturbed_comparison(day):
    assert day.killed.counts == day.calm.counts
    assert {statement["state"] for statement in day.killed.statements.values()} == {"matched"}
    assert {statement["version"] for statement in day.killed.statements.values()} == {1}


def test_every_line_has_its_match_and_every_document_exists_once(day):
    assert day.killed.matches == day.calm.matches
    assert day.killed.documents == day.calm.documents
    assert day.killed.cases == day.calm.cases


def test_fees_and_movements_are_posted_once(day):
    file = day.world.way.served["funds", day.date]
    assert day.killed.posted == {
        "channel_fee": (1, -sum(file.amounts("fee"))),
        "channel_fee_returned": (1, sum(file.amounts("fee_returned"))),
        "channel_withdrawal": (len(WITHDRAWALS), sum(WITHDRAWALS)),
        "channel_top_up": (len(TOP_UPS), sum(TOP_UPS)),
        "channel_deduction": (1, -sum(file.amounts("penalty")))} == day.calm.posted
    assert day.killed.movements == day.calm.movements


def test_the_proof_of_the_day_adds_up(day):
    assert day.killed.proof == day.calm.proof


def test_the_store_keeps_every_invariant(day):
    assert day.world.server.verify()["checked"]


def test_the_same_lines_in_another_order_change_nothing(day):
    """Further versions of both files, with shuffled lines, until the kills have interrupted enough comparisons. Must be
    the last test: it replaces the first version."""
    first, world = day.killed, day.world
    version = 1
    while version == 1 or (sum(day.hits.values()) < HITS and version < VERSIONS_MAX):
        version += 1
        day.compare_shuffled(version)
    print(f"hits {day.hits}, differences at the kills {day.differences_at_kill}")
    assert sum(day.hits.values()) >= HITS, day.hits
    assert sum(count for (_, of), count in day.hits.items() if of > 1) > 0, day.hits
    second = Found(world, day.date)
    assert second.differences == first.differences
    assert second.counts == first.counts
    assert second.matches == first.matches
    assert second.documents == first.documents and second.cases == first.cases
    assert second.posted == first.posted
    assert not [row for row in second.statements["funds"]["movements"] if "journal" in row]
    assert second.movements == first.movements
    assert second.proof == first.proof
    world.server.verify()

"""Compares a statement with as many stored payments as it has lines, in the real server, which fetches the statement
from the channel of statement_channel.py. Peers in the same database: a join in SQL, and nested loops. Also measures
whole payments during the comparison, the server's memory, and the comparison with three times as many payments stored.
The payments of the statement are copies (clones.py) of a first run of real lifecycles."""

import contextlib
import json
import pathlib
import re
import subprocess
import time
import urllib.request

from bench.server import free_port, stop, wait_until_ready
from bench.statement_channel import StatementChannel, begin_of, date_of, statement
from bench.statement_stores import LAST_OF, PAYMENTS, TIMES, PostgresStore, SqliteStore

TEMPLATE = 5_000  # real lifecycles, of which the others are copies
NESTED = 10_000
GROWN = 3
VERIFIED_MAX = 200_000  # payments of a store that is audited
BOOKED_AFTER_DAY = 27 * 3600  # seconds, from the begin of a day: later entries are not compared with its statement
LARGEST_ID = 2**63 - 1
ALONE = 9_000  # payments without a comparison; the channel waits for them, at most for the time limit of a download
LEAST_RATE = 200        # lines per second; a slower comparison ends the benchmark
# Targets, for any number of lines up to a million:
LINES_PER_SECOND = 5_000
MEMORY_MB = 300
PAYMENTS_RATIO = 0.7    # of the payments without a comparison
SECRET = "the secret of the simple channel in the benchmark of statements"
CLIENTS = 1024  # the payer waits 100 ms; with fewer payments under way this delay would limit the rate


STORES = {"sqlite": ("SQLite", lambda run: SqliteStore(run, "statements")), "postgres": ("PostgreSQL", PostgresStore)}


def measure(run):
    for store in [run.store] if run.store else STORES:
        name, make = STORES[store]
        measure_store(run, name, make(run))


def measure_store(run, name, store):
    lines = run.lines
    run.progress(f"statements on {name}, storing {lines:,} payments")
    fill(run, store, lines)
    what = f"statement lines compared on {name}, {lines:,} lines"
    paying = store.copy("statements-paying")
    alone = compare_alone(run, name, store.copy("statements-alone"), what)
    compare_while_paying(run, name, paying, what, alone)
    run.progress(f"statements on {name}, storing {GROWN * lines:,} payments")
    [[last, paid_at]] = store.query(LAST_OF)
    store.clones.add(round((GROWN - 1) * lines / store.clones.payments),
                     round((begin_of(date_of(paid_at)).timestamp() + BOOKED_AFTER_DAY) * 1000))
    store.mark_matched(last)
    with compared(run, name, store, last) as comparison:
        run.table.add(f"{what}, {GROWN} times as many payments stored", comparison.rate(), "1/s",
                      "as many payments as lines", alone)
    store.drop()


def fill(run, store, payments):
    """Stores `payments` payments, rounded down to a multiple of the number of copies."""
    copies = max(0, payments // TEMPLATE - 1)
    template = payments // (copies + 1)
    run.finality("bench", "lifecycle", "--store", store.url, "--payments", template, "--merchants",
                 min(1000, template), "--json")
    if copies > 0:
        store.clones.add(copies)


def compare_alone(run, name, store, what):
    """Returns the lines per second without other load."""
    with compared(run, name, store) as comparison:
        rate = comparison.rate()
        memory = run.table.add(f"memory of the server after a statement on {name}, {len(comparison.payments):,} lines",
                               comparison.peak_mb(), "MB")
    run.table.require(memory, "value", at_most=MEMORY_MB)
    if len(comparison.payments) <= VERIFIED_MAX:
        run.verify(store.url)
    run.progress(f"statements on {name}, joins in SQL")
    lines = [(number, trade_no, merchant, payment, amount)
             for number, (merchant, payment, trade_no, amount) in enumerate(comparison.payments, 1)]
    row = run.table.add(what, rate, "1/s", "a join of the lines with the receipts, in SQL",
                        len(lines) / store.joined(lines))
    run.table.require(row, "value", at_least=LINES_PER_SECOND)
    few = min(run.choose(NESTED, NESTED // 5), len(lines))
    run.table.add(f"{what}, compared with nested loops", rate, "1/s",
                  f"nested loops in SQL, {few:,} lines with {few:,} receipts", few / store.nested(few))
    store.drop()
    return rate


def compare_while_paying(run, name, store, what, alone):
    """Measures payments without and with a comparison. The second run of payments ends before the comparison."""
    with Comparison(run, name, store).running() as comparison:
        comparison.wait_until_asked()
        run.progress(f"statements on {name}, payments alone")
        comparison.pay(1)  # the sandbox answers its first request with 503, and that payment takes 15 s
        before = comparison.pay(run.choose(ALONE, ALONE // 3))
        seconds = len(comparison.payments) / alone
        payments = max(CLIENTS, round(before * seconds / 2))
        run.progress(f"statements on {name}, payments during a comparison")
        comparison.channel.released.set()
        comparison.wait_for_state("matching", "matched")
        begin, lines = time.monotonic(), comparison.lines_compared()
        during = comparison.pay(payments)
        compared_lines, took = comparison.lines_compared() - lines, time.monotonic() - begin
        comparison.wait_for_state("matched")
    row = run.table.add(f"whole payments over HTTP on {name} during a comparison", during, "1/s", "without one", before)
    run.table.require(row, "ratio", at_least=PAYMENTS_RATIO)
    if compared_lines > 0:
        run.table.add(f"{what}, during payments", compared_lines / took, "1/s")
    else:
        run.progress(f"{what}: the comparison ended before the payments began; use more lines")
    store.drop()


@contextlib.contextmanager
def compared(run, name, store, until=LARGEST_ID):
    """Yields a finished Comparison of the payments with receipts up to the id `until`. The server still runs."""
    comparison = Comparison(run, name, store, until)
    with comparison.running():
        comparison.channel.released.set()
        run.progress(f"statements on {name}, comparing {len(comparison.payments):,} lines")
        comparison.wait_for_state("matched")
        yield comparison


class Comparison:
    """A server with a clock on the day after the payments, the channel of the statement, and a sandbox for payments."""

    def __init__(self, run, name, store, until=LARGEST_ID):
        self._run, self._store = run, store
        self.payments = [(merchant, payment, str(trade_no), amount)
                         for merchant, payment, trade_no, amount in store.query(PAYMENTS.format(until=until))]
        [[paid_at]] = store.query("SELECT max(paid_at) FROM receipts")
        self._date = date_of(paid_at)
        self.channel = StatementChannel(SECRET, self._date, statement(self._date, self.payments))
        self._data = run.data / f"statements-{name}-{time.monotonic_ns()}"
        self._data.mkdir()
        self._process = None

    @contextlib.contextmanager
    def running(self):
        ports = [free_port(), free_port()]
        self._url = f"http://127.0.0.1:{ports[0]}"
        self._operator = self._run.finality("keys", "create", "--store", self._store.url, "--role", "viewer").strip()
        made = str(self._run.finality("merchants", "create", "--store", self._store.url, "--name", "payer"))
        merchant = re.search(r"mer_\w+", made)[0]
        self._key = self._run.finality("keys", "create", "--store", self._store.url, "--merchant", merchant).strip()
        clock = self._data / "clock"
        clock.write_bytes(bytes(8))  # the offset from the machine's time (src/base/time/movable_clock.h)
        self._run.finality("clock", "advance", f"{self._seconds_to_statement()}s", "--file", clock)
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.channel.running())
            self._start(stack, "sandbox", "--port", ports[1], "--data", self._data, "--clock", clock)
            self._wait_for_file(self._data / "sandbox.secret")
            self._write_config(ports)
            self._process = self._start(stack, "serve", "--config", self._data / "finality.toml", "--clock", clock)
            wait_until_ready(self._url, self._process)
            yield self

    def _seconds_to_statement(self):
        """The time until 10:30 in China on the day after the payments, when the statement is ready."""
        return max(1, round(begin_of(self._date).timestamp() + 34.5 * 3600 - time.time()))

    def _start(self, stack, *arguments):
        with (self._data / f"{arguments[0]}.log").open("w") as log:
            process = subprocess.Popen([self._run.binary, *map(str, arguments)], stdout=log, stderr=log)
        stack.callback(stop, process)
        return process

    @staticmethod
    def _wait_for_file(path):
        end = time.monotonic() + 30
        while not path.exists():
            if time.monotonic() > end:
                raise SystemExit(f"the sandbox did not create {path}")
            time.sleep(0.02)

    def _write_config(self, ports):
        (self._data / "statements.secret").write_text(SECRET)
        (self._data / "channel.secret").write_text(SECRET)
        (self._data / "finality.toml").write_text(f"""
listen = "127.0.0.1:{ports[0]}"
public_url = "{self._url}"
store = "{self._store.url}"

[statements]
key_file = "{self._data / 'statements.secret'}"

[webhooks]
allow_private = ["127.0.0.1"]

[channels.sandbox]
kind = "sandbox"
url = "{self.channel.url}"
secret_file = "{self._data / 'channel.secret'}"

[channels.sandbox2]
kind = "sandbox"
url = "http://127.0.0.1:{ports[1]}"
secret_file = "{self._data / 'sandbox.secret'}"
""")

    def _get(self, path):
        request = urllib.request.Request(self._url + path, headers={"Authorization": f"Bearer {self._operator}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode()

    def wait_until_asked(self):
        if not self.channel.asked.wait(60):
            raise SystemExit("the server did not ask for the statement")

    def wait_for_state(self, *states):
        end = time.monotonic() + 60 + len(self.payments) / LEAST_RATE
        while time.monotonic() < end:
            rows = json.loads(self._get(f"/v1/statements?kind=trades&from={self._date}&to={self._date}"))["data"]
            state = rows[0]["state"] if rows else "expected"
            if state in states:
                if state == "matched" and rows[0]["counts"]["matched"] != len(self.payments):
                    raise SystemExit(f"not all lines are matched: {rows[0]['counts']}")
                return
            if state == "rejected":
                raise SystemExit(f"the statement was rejected: {rows[0]}")
            time.sleep(0.1)
        raise SystemExit(f"the statement is still {state}")

    def lines_compared(self):
        return float(re.search(r"^finality_statement_lines_total (\S+)", self._get("/metrics"), re.M)[1])

    def rate(self):
        """Returns the lines per second, from the claim of the statement to the commit of its result."""
        [[begin, end]] = self._store.query(TIMES)
        return len(self.payments) / max(0.001, (end - begin) / 1000)

    def peak_mb(self):
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"^VmHWM:\s+(\d+)", status, re.M)[1]) / 1024

    def pay(self, payments):
        """Returns the payments per second."""
        result = self._run.finality("bench", "http", "--url", self._url, "--key", self._key, "--channel", "sandbox2",
                                    "--clients", CLIENTS, "--payments", payments)
        return result["payments_per_second"]

"""Tests how `make bench` processes measurements. No test depends on the speed of the machine."""

import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import types
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench import (accounts, charts, clones, clones_postgres, clones_sqlite, compare, growth,  # noqa: E402
                   lifecycles_postgres, lifecycles_sqlite, machine, micro, nodes, statements)
from bench import run as bench_run  # noqa: E402
from bench.clones_postgres import PostgresClones  # noqa: E402
from bench.clones_sqlite import SqliteClones  # noqa: E402
from bench.disk import DiskWatch  # noqa: E402
from bench.run import Run  # noqa: E402
from bench.server import demo  # noqa: E402
from bench.statement_channel import base32, statement  # noqa: E402
from bench.statement_stores import PostgresStore, SqliteStore  # noqa: E402
from bench.table import Table, figure  # noqa: E402

BINARY = pathlib.Path(os.environ.get("FINALITY_BINARY", ROOT / "build/release/finality")).resolve()
SCHEMA = {"name": str, "value": (int, float), "unit": str, "peer": str, "peer_value": (int, float, type(None)),
          "ratio": (int, float, type(None))}
SVG = "{http://www.w3.org/2000/svg}"


def check_rows(rows):
    assert rows
    for row in rows:
        assert list(row) == list(SCHEMA)
        assert all(isinstance(row[name], kind) for name, kind in SCHEMA.items()), row
        assert bool(row["peer"]) == (row["peer_value"] is not None) == (row["ratio"] is not None), row
    names = [row["name"] for row in rows]
    assert len(set(names)) == len(names)


# Tests of DiskWatch.


def test_a_disk_stalls_while_it_has_work_and_completes_nothing(tmp_path):
    watch = DiskWatch(tmp_path)
    counts = [0] * 17
    for ms, writes, in_flight in ((0, 5, 1), (10, 5, 1), (30, 6, 1), (35, 6, 0), (95, 6, 0), (100, 6, 1), (140, 6, 1), (150, 7, 0)):
        counts[4], counts[8] = writes, in_flight
        watch.see(ms / 1000, counts)
    assert watch.longest_ms == pytest.approx(45)
    watch.see(0.2, counts[:11])  # an old kernel without the counter of flushes
    assert watch.longest_ms == pytest.approx(45)


def test_without_a_disk_no_stall_is_measured():
    with DiskWatch("/proc") as watch:
        pass
    assert watch.longest_ms is None


# Tests of the table of results.


def test_a_ratio_is_the_value_divided_by_the_peers():
    table = Table()
    assert table.add("rate", 900, "1/s", "a peer", 300)["ratio"] == 3
    assert table.add("alone", 900, "1/s")["ratio"] is None
    check_rows(table.rows)


def test_the_table_is_markdown_with_a_cell_for_every_field():
    table = Table()
    table.add("rate", 12_345.6, "1/s", "a peer", 4_000)
    table.add("alone", 0.2, "ms")
    header, line, *rows = table.markdown().splitlines()
    assert {text.count("|") for text in (header, line, *rows)} == {7}
    assert rows == ["| rate | 12,346 | 1/s | a peer | 4,000 | 3.09 |", "| alone | 0.20 | ms |  |  |  |"]


def test_a_missed_target_is_listed():
    table = Table()
    fast, slow = table.add("fast", 5_000, "1/s", "a peer", 5_000), table.add("slow", 4_000, "1/s", "a peer", 8_000)
    for row in (fast, slow):
        table.require(row, "value", at_least=5_000)
        table.require(row, "ratio", at_least=0.7)
        table.require(row, "value", at_most=4_500)
    assert table.missed == ["fast: value 5,000, target at most 4,500", "slow: value 4,000, target at least 5,000",
                            "slow: ratio 0.50, target at least 0.70"]


@pytest.mark.parametrize("number, text", [(None, ""), (0, "0"), (1_234_567.8, "1,234,568"), (42.51, "42.5"), (3.14159, "3.14"),
                                          (0.00123, "0.0012")])
def test_a_figure_has_significant_digits_only(number, text):
    assert figure(number) == text


# Tests of the charts.


@pytest.mark.parametrize("highest", [0.3, 1, 7, 99, 101, 12_345, 2_000_000])
def test_an_axis_ends_just_above_the_highest_number(highest):
    steps = charts.steps(highest)
    assert steps[0] == 0 and steps[-2] < highest <= steps[-1] * 1.001 and 3 <= len(steps) <= 9


def drawn(svg):
    root = xml.etree.ElementTree.fromstring(svg)
    points = [(float(circle.get("cx")), float(circle.get("cy"))) for circle in root.iter(f"{SVG}circle")]
    return root, points


def test_a_chart_has_every_point_within_its_frame():
    series = {"one <hot> merchant": [(1, 500), (16, 2_000), (3_000_000, 1_000)], "flat": [(1, 10), (16, 10)]}
    root, points = drawn(charts.line_chart("A & B", "clients", "1/s", series))
    assert len(points) == 5 and len(list(root.iter(f"{SVG}polyline"))) == 2
    assert all(charts.LEFT <= x <= charts.WIDTH - charts.RIGHT and charts.TOP <= y <= charts.HEIGHT - charts.BOTTOM
               for x, y in points)
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert "one <hot> merchant" in words and "A & B" in words
    assert points[0][0] < points[1][0] < points[2][0], "x increases to the right"
    assert points[1][1] < points[2][1] < points[0][1], "y increases upwards"


def test_a_chart_of_nothing_is_an_error():
    with pytest.raises(ValueError):
        charts.line_chart("empty", "x", "y", {"none": []})


# Tests of the subjects with recorded measurements.


class RecordedRun(Run):
    """A Run that returns recorded results instead of running the program, and writes its files to the test's
    directory."""

    ANSWERS = {
        "lifecycle": {"payments": 5_000, "seconds": 0.5, "payments_per_second": 10_000.0, "batch_mean": 333.3,
                      "latency_ms": {"p50": 43.0, "p99": 83.0, "p999": 83.0}, "floor_per_second": 12_500.0,
                      "ratio_to_floor": 0.8},
        "accounts": {"operations": 10_000, "accounts": 1, "refused": 0, "seconds": 0.5, "operations_per_second": 20_000.0},
    }

    def __init__(self, directory):
        super().__init__(quick=True, data=directory, binary="/nowhere/finality", results=directory / "results")
        self.verified = []

    CAPTURED_PER_SECOND = 6_000.0  # lifecycles with manual capture

    def finality(self, *arguments):
        if arguments[0] != "bench":
            return ""
        answer = self.ANSWERS[arguments[1]]
        return answer | {"payments_per_second": self.CAPTURED_PER_SECOND} if "manual" in arguments else answer

    def verify(self, store):
        self.verified.append(store)

    def new_database(self):
        self._databases += 1
        return f"postgres://x@/bench_{self._databases}?host=/nowhere"

    def drop_database(self, url):
        pass


@pytest.fixture
def recorded(tmp_path):
    return RecordedRun(tmp_path)


def saved(run):
    return {path.name for path in run.data.glob("results/*")}


def test_lifecycles_on_sqlite_are_compared_with_their_floor(recorded):
    lifecycles_sqlite.measure(recorded)
    check_rows(recorded.table.rows)
    assert [row["ratio"] for row in recorded.table.rows] == [0.8, 0.8, 1.0, 0.6]
    assert saved(recorded) == {"batch.svg"} and recorded.verified


def test_captures_are_reported_as_the_median_pair(recorded, monkeypatch):
    recorded.quick = False
    rates = iter([10_000, 4_000, 8_000, 4_800, 20_000, 14_000])
    monkeypatch.setattr(lifecycles_sqlite, "lifecycle", lambda run, store, *options: {"payments_per_second": next(rates)})
    lifecycles_sqlite.measure_captures(recorded)
    [row] = recorded.table.rows
    assert (row["value"], row["peer_value"], row["ratio"]) == (4_800, 8_000, 0.6)


def test_lifecycles_on_postgres_are_compared_with_the_peer_at_the_same_number_of_clients(recorded, monkeypatch):
    monkeypatch.setattr(lifecycles_postgres, "make_peer", lambda run, merchants: "peer")
    monkeypatch.setattr(lifecycles_postgres, "pgbench", lambda store, merchants, clients, seconds: 32_000 / clients)
    monkeypatch.setattr(lifecycles_postgres, "counts", lambda url: dict.fromkeys(lifecycles_postgres.TABLES, 100))
    lifecycles_postgres.measure(recorded)
    check_rows(recorded.table.rows)
    ratios = {row["name"]: row["ratio"] for row in recorded.table.rows}
    assert ratios["lifecycles on PostgreSQL, one hot merchant, 16 clients"] == 5
    assert ratios["lifecycles on PostgreSQL, one hot merchant, 64 clients"] == 20
    assert sum("the best of" in name for name in ratios) == 2
    [captured] = [ratio for name, ratio in ratios.items() if "authorization and capture" in name]
    assert captured == RecordedRun.CAPTURED_PER_SECOND / 10_000
    assert saved(recorded) == {"clients.svg"} and recorded.verified


def test_a_peer_that_writes_fewer_rows_is_refused(recorded, monkeypatch):
    monkeypatch.setattr(lifecycles_postgres, "counts", lambda url: dict.fromkeys(lifecycles_postgres.TABLES, 100)
                        | {"changes": 1000 if url == "ours" else 900})
    with pytest.raises(SystemExit):
        lifecycles_postgres.compare_rows("ours", "peer")


@pytest.mark.parametrize("subject", [accounts, nodes, machine])
def test_other_subjects_fill_their_rows(recorded, subject):
    subject.measure(recorded)
    check_rows(recorded.table.rows)


def test_growth_draws_both_stores(recorded, monkeypatch):
    monkeypatch.setattr(growth, "on_sqlite", lambda run, stored, seconds: {0: 10_000.0, stored: 9_000.0})
    monkeypatch.setattr(growth, "on_postgres", lambda run, stored, seconds: {0: 5_000.0, stored: 2_500.0})
    growth.measure(recorded)
    check_rows(recorded.table.rows)
    assert [row["ratio"] for row in recorded.table.rows] == [0.9, 0.5]
    assert saved(recorded) == {"growth.svg"}


def test_a_slow_machine_stores_as_many_as_the_time_allows(recorded, monkeypatch):
    recorded.quick = False
    clock = [0.0]
    monkeypatch.setattr(growth.time, "monotonic", lambda: clock[0])

    class SlowClones:
        payments = 20_000

        def add(self, copies):
            clock[0] += copies * self.payments / 1000  # simulates 1,000 copied payments per second

    line = growth.grow(recorded, "a store", "nowhere", 3_000_000, 500, SlowClones, lambda: [1, 2])
    assert list(line) == [0, 100_000, 580_000], "60 s for the first, and the remaining 440 s"
    quick_line = RecordedRun(recorded.data)
    assert list(growth.grow(quick_line, "a store", "nowhere", 50_000, 0, SlowClones, lambda: [1, 2])) == [0, 45_000]


def test_micro_rows_contain_google_benchmarks_results():
    table = Table()
    micro.add_rows(table, {"benchmarks": [{"name": "a transition", "cpu_time": 1.5, "real_time": 3.0, "time_unit": "ns"}]})
    assert table.rows[0]["value"] == 1.5 and table.rows[0]["unit"] == "ns"
    with pytest.raises(SystemExit):
        micro.add_rows(table, {"benchmarks": [{"name": "x", "error_occurred": True, "error_message": "refused"}]})


def test_every_command_has_a_micro_benchmark():
    commands = re.findall(r"\bDO\((\w+)\)", (ROOT / "src/decide/command.h").read_text())
    measured = re.findall(r'\{"(\w+)",', (ROOT / "bench/micro/decide.cpp").read_text())
    assert sorted(measured) == sorted(set(commands) - {"Type"})


def test_a_statement_lists_its_payments_over_the_day():
    file = gzip.decompress(statement("2026-09-20", [(1, 7, "T1", 8000), (1, 8, "T2", 5), (2, 9, "T3", 1)])).decode()
    lines = [line.split(",") for line in file.splitlines() if line.startswith("line")]
    assert [line[2] for line in lines] == ["2026-09-20T00:00:00+08:00", "2026-09-20T08:00:00+08:00",
                                           "2026-09-20T16:00:00+08:00"]
    assert [line[8] for line in lines] == ["80.00", "0.05", "0.01"]
    assert lines[0][4] == "00000000000010000000000007" == base32(1) + base32(7)
    assert file.splitlines()[-1] == "totals,CNY,3,3,80.06,0,0,0"


@pytest.mark.parametrize("store, measured", [("", ["SQLite", "PostgreSQL"]), ("postgres", ["PostgreSQL"])])
def test_a_statement_is_measured_on_one_store_or_on_all(recorded, monkeypatch, store, measured):
    names = []
    monkeypatch.setattr(statements, "measure_store", lambda run, name, store: names.append(name))
    recorded.store = store
    statements.measure(recorded)
    assert names == measured


def test_a_missed_target_fails_the_run_only_with_check(tmp_path, monkeypatch):
    def miss(run):
        run.table.require(run.table.add("rate", 1, "1/s"), "value", at_least=2)

    monkeypatch.setattr(bench_run, "ROOT", tmp_path)
    monkeypatch.setitem(bench_run.SUBJECTS, "machine", types.SimpleNamespace(measure=miss))
    monkeypatch.setattr(sys, "argv", ["tools/bench", "--only", "machine"])
    bench_run.main()
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--check"])
    with pytest.raises(SystemExit, match="1"):
        bench_run.main()


@pytest.fixture
def compared(tmp_path, monkeypatch):
    """Compares programs `old` and `new`, whose rates are given; a text is a failure. Returns the result and the order of
    measurements."""
    def compare_with(rates, pairs):
        run, order = Run(True, tmp_path, "new", tmp_path), []

        def rate(run, name):
            result = rates[run.binary][order.count(run.binary)]
            order.append(run.binary)
            if isinstance(result, str):
                raise SystemExit(result)
            return result
        monkeypatch.setattr(compare, "MEASUREMENTS", {"one": rate})
        monkeypatch.setattr(compare, "built", lambda revision, progress: "old")
        return compare.compare(run, "base", pairs), order
    return compare_with


def test_programs_are_measured_alternately_and_the_median_ratio_decides(compared, capsys):
    slower, order = compared({"old": [100, 100, 100], "new": [97, 90, 98]}, pairs=3)
    assert order == ["old", "new", "new", "old", "old", "new"]
    assert slower == []
    assert "| one | 0.970 | 0.97 0.90 0.98 |" in capsys.readouterr().out


def test_a_median_below_the_limit_is_reported(compared):
    slower, _ = compared({"old": [100, 100, 100], "new": [96, 96, 120]}, pairs=3)
    assert slower == ["one: 0.960, allowed: 0.97"]


def test_a_measurement_that_the_other_revision_cannot_run_is_skipped(compared, capsys):
    slower, order = compared({"old": ["unknown option --capture"], "new": [1]}, pairs=2)
    assert order == ["old", "new"] and slower == ["base can run no measurement"]
    assert "| one | – | base cannot run it |" in capsys.readouterr().out


def test_a_measurement_that_neither_program_can_run_ends_the_comparison(compared):
    with pytest.raises(SystemExit, match="wrk is missing"):
        compared({"old": ["wrk is missing"], "new": ["wrk is missing"]}, pairs=2)


def test_a_failure_of_the_other_program_after_a_success_ends_the_comparison(compared):
    with pytest.raises(SystemExit, match="it crashed"):
        compared({"old": [100, "it crashed"], "new": [100, 100]}, pairs=3)


def test_a_failure_of_this_program_ends_the_comparison(compared):
    with pytest.raises(SystemExit, match="it failed"):
        compared({"old": [1], "new": ["it failed"]}, pairs=1)


def test_an_unknown_revision_is_refused():
    with pytest.raises(SystemExit, match="no-such-revision is not a revision"):
        compare.built("no-such-revision", print)


def test_an_unknown_subject_is_refused():
    done = subprocess.run([ROOT / "tools/bench", "--only", "weather"], capture_output=True, text=True)
    assert done.returncode == 2 and "weather" in done.stderr


# Tests of the subjects' tools with small real runs.


@pytest.fixture
def real(tmp_path):
    run = Run(quick=True, data=tmp_path, binary=BINARY, results=tmp_path / "results")
    yield run
    run.close()


def lifecycles(run, store, *options):
    return run.finality("bench", "lifecycle", "--store", store, "--payments", 60, "--merchants", 7, *options, "--json")


def test_the_floor_of_a_run_is_measured(real):
    result = lifecycles(real, real.new_sqlite("floor"), "--floor")
    assert result["floor_per_second"] > 0
    assert result["ratio_to_floor"] == pytest.approx(result["payments_per_second"] / result["floor_per_second"])
    assert [path.name for path in real.data.iterdir() if path.name.startswith("floor.db.")] == ["floor.db.lock"]


@pytest.mark.parametrize("store, options", [("postgres://x@/unknown?host=/nowhere", []),
                                            ("sqlite:{data}/x.db", ["--merchant", "mer_0akppvvf00000"])])
def test_a_floor_is_of_new_merchants_on_sqlite_only(real, store, options):
    with pytest.raises(SystemExit, match="--floor"):
        real.finality("bench", "lifecycle", "--store", store.format(data=real.data), "--floor", *options)


def test_a_lifecycle_with_capture_writes_less_than_twice_the_rows(real):
    rows = {}
    for capture in ("automatic", "manual"):
        store = real.new_sqlite(capture)
        assert lifecycles(real, store, "--capture", capture)["capture"] == capture
        checked = real.finality("verify", "--store", store, "--json")
        assert checked["violations"] == []
        rows[capture] = checked["checked"]
    expected = dict.fromkeys(("orders", "authorizations", "captures", "receipts", "deliveries"), 60) | {"payments": 0}
    assert {table: rows["manual"].get(table, 0) for table in expected} == expected
    # The target of `make bench` is half of the rate of payments. The rows decide it, on every machine.
    assert sum(rows["manual"].values()) < 2 * sum(rows["automatic"].values())


def test_captures_require_new_merchants(real):
    with pytest.raises(SystemExit, match="--capture"):
        real.finality("bench", "lifecycle", "--store", real.new_sqlite("x"), "--capture", "manual", "--merchant",
                      "mer_0akppvvf00000")


def moves_of_half_a_second(*arguments):
    """As moves(), for a template whose ids span half a second, as on a slow machine: two copies of it span more than
    PostgreSQL's type integer."""
    first, delta = clones.moves(*arguments)
    return first, max(delta, 2**31 - clones.UNIT)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_store_filled_with_copies_passes_the_audit_and_stays_usable(real, kind, monkeypatch):
    for module in (clones_sqlite, clones_postgres):
        monkeypatch.setattr(module, "moves", moves_of_half_a_second)
    store = real.new_sqlite("clones") if kind == "sqlite" else real.new_database()
    lifecycles(real, store)
    filled = SqliteClones(store.removeprefix("sqlite:")) if kind == "sqlite" else PostgresClones(store)
    assert filled.payments == 60
    for copies in (3, 2):  # the second call copies after further payments were made
        filled.add(copies)
        lifecycles(real, store)
    checked = real.finality("verify", "--store", store, "--json")
    assert checked["violations"] == []
    assert checked["checked"]["payments"] == 60 * (1 + 3 + 1 + 2 + 1)


def test_the_peer_writes_the_rows_that_the_engine_writes(real):
    store = real.new_database()
    lifecycles(real, store)
    peer = lifecycles_postgres.make_peer(real, merchants=7)
    assert lifecycles_postgres.pgbench(peer, merchants=7, clients=2, seconds=1) > 0
    lifecycles_postgres.compare_rows(store, peer)


def test_orders_and_whole_payments_are_measured_over_http(real):
    with demo(real, "http") as server:
        common = ("bench", "http", "--url", server["base_url"], "--key", server["secret_key"])
        orders = real.finality(*common, "--rate", 100, "--seconds", 0.5, "--connections", 4)
        payments = real.finality(*common, "--payments", 30, "--clients", 10)
    assert orders["failed"] == 0 and orders["measured"] == 50 and orders["latency_ms"]["p50"] > 0
    assert payments["failed"] == 0 and payments["payments"] == 30
    checked = real.finality("verify", "--store", f"sqlite:{real.data / 'http/finality.db'}", "--json")
    assert checked["violations"] == [] and checked["checked"]["payments"] == 30


@pytest.mark.parametrize("make_store", [lambda run: SqliteStore(run, "statements"), PostgresStore])
def test_a_statement_is_compared_alone_and_during_payments(real, monkeypatch, make_store):
    monkeypatch.setattr(statements, "TEMPLATE", 100)
    monkeypatch.setattr(statements, "CLIENTS", 10)
    monkeypatch.setattr(statements, "ALONE", 300)
    real.lines = 300
    statements.measure_store(real, "a store", make_store(real))
    check_rows(real.table.rows)
    units = [row["unit"] for row in real.table.rows]
    during = [row for row in real.table.rows if row["name"].endswith(", during payments")]  # none if it ended before
    assert units.count("MB") == 1 and units.count("1/s") == 4 + len(during)

"""Checks the architecture of the sources: a folder includes only lower levels, and lower levels use no clocks, I/O or
SQL."""

import collections
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from source_kinds import is_test  # noqa: E402

SOURCE = ROOT / "src"

# Level of each folder. A folder may include only folders of lower levels, not of the same level.
LEVELS = {
    "base": 0,
    "fsm": 1, "history": 1,
    "model": 2,
    "ledger": 3,
    "decide": 4, "store": 4, "channel": 4,
    "engine": 5,
    "wire": 6,
    "query": 7, "worker": 7,
    "http": 8,
    "sim": 9,
    "app": 10,
    "bench": 11,
    "lab": 12,
}
# Folders without side effects: no clock, randomness, sockets or threads. wire/ renders the engine's results.
PURE = [folder for folder, level in LEVELS.items() if 0 < level < LEVELS["engine"]] + ["wire"]
# Folders that must not use JSON: they return typed results, which wire/ renders (ADR 0031).
WITHOUT_JSON = ("fsm", "model", "ledger", "decide", "engine")
JSON = re.compile(r'#include [<"](boost/json|wire/)')
# Expressions that throw on invalid input. Exempt is `machine.at()` in Context::cell(), because simulations observe it.
THROWING = re.compile(r"\bthrow\b|\bstd::sto[a-z]+\b|\.value\(\)|(?<!return machine)\.at\(|\bstd::get<")
# Headers of base/ that use randomness or the network. http_message.h contains only data and is allowed.
OUTSIDE_IN_BASE = re.compile(r'#include "base/(crypto/random\.h|net/(?!http_message\.h))')
BANNED = {
    "a clock": re.compile(r"\b(system_clock|steady_clock|high_resolution_clock)::now|\b(System|Movable)Clock\b|\bgettimeofday\b|\btime\(nullptr\)"),
    "randomness": re.compile(r"\brandom_device\b|\bmt19937\b|\brand\(\)|\bRAND_bytes\b"),
    "sockets or threads": re.compile(r"<(boost/(asio|beast)|sys/socket|netinet|thread|mutex)\b"),
}
# Files that sync SQLite's WAL on a thread other than the lane's (ADR 0004).
BESIDE_THE_LANE = ("checkpointer.h", "checkpointer.cpp", "flushed.h")
SQL = re.compile(r"<(sqlite3|libpq-fe)\.h>|\b(SELECT|INSERT INTO|DELETE FROM)\b")
SOURCES = sorted(path for path in SOURCE.rglob("*") if path.suffix in (".h", ".cpp"))


def folder_of(path):
    parts = path.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else "lab"  # main.cpp and lab_main.cpp have no folder


@pytest.mark.parametrize("folder", sorted(LEVELS))
def test_includes_lead_downwards(folder):
    wrong = []
    for path in SOURCES:
        if folder_of(path) != folder or is_test(path):
            continue
        for included in re.findall(r'#include "([a-z_]+)/', path.read_text()):
            if included != folder and included in LEVELS and LEVELS[included] >= LEVELS[folder]:
                wrong.append(f"{path.relative_to(ROOT)} includes {included}/")
    assert not wrong


def test_every_folder_has_a_level():
    assert {folder_of(path) for path in SOURCES} == set(LEVELS)


@pytest.mark.parametrize("folder", PURE)
def test_pure_levels_do_not_use_the_outside_world(folder):
    wrong = []
    for path in SOURCES:
        if folder_of(path) != folder or is_test(path):
            continue
        text = path.read_text()
        wrong += [f"{path.relative_to(ROOT)}: {what}" for what, pattern in BANNED.items()
                  if pattern.search(text) and not (what == "sockets or threads" and path.name in BESIDE_THE_LANE)]
        if OUTSIDE_IN_BASE.search(text):
            wrong.append(f"{path.relative_to(ROOT)}: a part of base/ that uses the outside world")
        if folder != "store" and SQL.search(text):
            wrong.append(f"{path.relative_to(ROOT)}: SQL")
    assert not wrong


@pytest.mark.parametrize("folder", WITHOUT_JSON)
def test_the_core_includes_no_json(folder):
    wrong = [str(path.relative_to(ROOT)) for path in SOURCES
             if folder_of(path) == folder and not is_test(path) and JSON.search(path.read_text())]
    assert not wrong


def test_nothing_in_decide_can_throw():
    wrong = []
    for path in SOURCES:
        if folder_of(path) != "decide" or is_test(path):
            continue
        wrong += [f"{path.relative_to(ROOT)}:{number}" for number, line in enumerate(path.read_text().splitlines(), 1)
                  if THROWING.search(line.partition("//")[0])]
    assert not wrong


def test_the_sandbox_shares_nothing_with_the_core_but_base():
    for path in sorted((ROOT / "sandbox").rglob("*.[hc]*")):
        folders = set(re.findall(r'#include "([a-z_]+)/', path.read_text())) - {"sandbox", "base"}
        assert not folders & set(LEVELS), f"{path.name} includes {folders}"


def test_no_state_is_switched_on_outside_the_tables():
    """The transition tables define all behavior per state. A switch over states outside them would bypass a table
    cell."""
    wrong = [str(path.relative_to(ROOT)) for path in SOURCES
             if not is_test(path) and re.search(r"switch \([^)]*\bstate\b[^)]*\)", path.read_text())]
    assert not wrong


# Former names for which a standard term exists; docs/adr is exempt. Left: the banned name as a
# regular expression; right: the term to use.
PRIVATE = {
    r"\w*[Ss]trangers": "interop", r"\w*[Dd]esk": "exception queue, case",
    r"(?<=[`'\"])contradiction": "conflicting_result", "paid_wrong": "amount_mismatch, paid_mismatch",
    "refunded_foreign": "external_refund", "answer_owed_too_long": "result_overdue", "parked_row": "invariant_violation",
    "return_it": "refund", "paid_otherwise": "settled_offline", "keep_asking": "keep_querying",
    "confirmed_unpaid": "confirm_unpaid", "paid_in_vain": "paid_unexpectedly", "dispute_case": "exception_case",
    "answer_owed": "result_outstanding", "owed_since": "outstanding_since", "ask_total_of": "query_total_of",
    "AnswerId": "IdempotencyRecordId", "(add_)?[Nn]eeds(?=[ &(]+(reads|needs|command))": "ReadSet, add_reads",
    "Announcer|Announcement": "CommitNotifier, PostCommitWork", "Showing": "RenderOptions",
    "RememberingSession": "CachingSession", "GatheredLog|GatheredCommit": "WalBatcher, BatchedCommit",
    "WatchedDisk": "InstrumentedVfs", "find_out": "resolve_commit", "make_everything": "make_sample_rows",
    "Doubts|must_say|settings_behind": "ConfigWarnings, should_warn, config_hint", r"\w*upkeep": "maintenance",
    "UnderWay": "InFlightEffects", "Misfit": "InvalidField", "kBreakerRow": "kBreakerConsecutiveFailures",
    "Manners": "ChannelProfile", "Historian": "HistoryRecorder", "WordAuditor": "EvidenceAuditor",
    "PromiseAuditor": "ReplyAuditor", "DocumentAuditor": "PostingAuditor", "why_never": "unreachable_reason",
    "why_seldom": "rare_reason", "Bookkeeper": "LedgerThread", "test_tale|lived_in_store": "history_builder, populated_store",
    r"hear_of_\w+|tell_of_\w+|heard(_\w+)?": "record_evidence, apply_evidence, received",
}


def test_banned_names_are_not_used():
    names = subprocess.run(["git", "ls-files", "src", "sandbox", "tests", "tools", "bench", "docs", "openapi.yaml",
                            "README.md", "README.zh-CN.md", "ARCHITECTURE.md", "CHANGELOG.md", "STYLE.md",
                            "Makefile"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split()
    banned = {word: re.compile(rf"(?<![A-Za-z0-9-])(?:{word})(?![A-Za-z0-9])") for word in PRIVATE}
    wrong = []
    for path in [ROOT / name for name in names if not name.startswith(("docs/adr/", "tests/fuzz/seeds/"))]:
        if not path.is_file() or path == pathlib.Path(__file__).resolve() or path.suffix in (".svg", ".png", ".json"):
            continue
        text = path.read_text(errors="replace")
        wrong += [f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}: {word} (use: {PRIVATE[word]})"
                  for word, pattern in banned.items() for found in pattern.finditer(text)]
    assert not wrong


@pytest.mark.parametrize("patch", sorted((ROOT / "tests/experiments").glob("*.patch")), ids=lambda path: path.stem)
def test_an_experiment_applies(patch):
    done = subprocess.run(["git", f"--git-dir={ROOT / '.git'}", "apply", "--check", patch], cwd=ROOT, capture_output=True,
                          text=True)
    assert done.returncode == 0, f"{done.stderr}See tests/README.md#experiments"


def test_no_folder_has_more_than_45_files():
    folders = collections.Counter(path.parent for root in ("src", "sandbox", "tests", "bench") for path in (ROOT / root).rglob("*")
                                  if path.suffix in (".h", ".cpp", ".py"))
    assert not {str(folder.relative_to(ROOT)): count for folder, count in folders.items() if count > 45}


def test_every_folder_states_what_its_files_do():
    """A newcomer finds a behavior by the names of folders and files. The README.md of a folder has at most eight lines
    and names existing files."""
    folders = {path.parent for root in ("src", "sandbox") for path in (ROOT / root).rglob("*.h")}
    wrong = []
    for folder in sorted(folders - {SOURCE, ROOT / "sandbox"}):
        page, name = folder / "README.md", str(folder.relative_to(ROOT))
        if folder.name == "testing":
            continue
        text = page.read_text() if page.exists() else ""
        named = re.findall(r"`([\w/]+\.(?:h|cpp))`", text)
        if not text or len(text.splitlines()) > 8:
            wrong.append(f"{name}/README.md is missing, or has more than eight lines")
        if len(list(folder.glob("*.h"))) > 4 and len(named) < 2:
            wrong.append(f"{name}/README.md names fewer than two files")
        wrong += [f"{name}/README.md names {each}" for each in named if not (folder / each).exists()]
    assert not wrong


def test_no_todo_is_left():
    names = subprocess.run(["git", "ls-files", "src", "sandbox", "tests", "tools"], cwd=ROOT, capture_output=True,
                           text=True, check=True).stdout.split()
    wrong = []
    for path in [ROOT / name for name in names]:
        if not path.is_file() or path == pathlib.Path(__file__).resolve():
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):  # some files are binary
            if re.search(r"\b(TODO|FIXME)\b", line):
                wrong.append(f"{path.relative_to(ROOT)}:{number}")
    assert not wrong


# Calls that read untrusted bytes at a cost which is not limited by the caller, and what limits them: the budget of the
# parser (base/parse_budget.h), or the limit of the input that is named here.
PARSER_CALLS = re.compile(
    r"\b(inflate|iconv)\(|\bXML_Parse\(|\bjson::(parse|parse_into|stream_parser)\b\(?|\btoml::parse\w*\(|\bgetline\(")
LIMITED_INPUT = {
    "channel/parsing/json_fields.cpp": "kUpstreamBodyMax, and kJsonDepthMax",
    "channel/alipay/answer.cpp": "kUpstreamBodyMax",
    "worker/effects/mask.cpp": "kUpstreamBodyMax",
    "http/resources/api_keys.cpp": "JSON that the server has written",
    "query/route_payment.cpp": "JSON that the server has written",
    "wire/wire.cpp": "JSON that the server has written",
    "wire/audience.cpp": "JSON that the server has written, and kDepthMax",
    "query/timeline_text.cpp": "JSON that the server has written",
    "store/archive/line.cpp": "a line that the program has written",
    "store/sql/packed_events.cpp": "JSON that the server has written",
    "store/archive/manifest.cpp": "an archive that the program has written",
    "store/archive/parse_line.cpp": "an archive that the program has written",
    "store/archive/files.cpp": "an archive that the program has written",
    "app/config/config_files.cpp": "kConfigBytesMax, kConfigLineBytesMax",
}
# Functions that look at the first bytes of a file only.
CONSTANT_TIME = {"is_gzip", "is_zip"}
# A parameter that is a whole file, packed or not.
FILE_PARAMETER = re.compile(r"(\w+)\(([^()]*\bstd::string_view (?:file|packed|archive)\b[^()]*)\)", re.S)


# Commands that an operator or developer runs on files and replies of the own installation.
OWN_FILES = ("app", "bench", "lab", "history", "sim")


def test_every_parser_has_a_budget():
    calls = {str(path.relative_to(SOURCE)): text for path in SOURCES if not is_test(path)
             if PARSER_CALLS.search(text := re.sub(r"//.*", "", path.read_text()))}
    unlimited = {name for name, text in calls.items() if not re.search(r"\bbudget_?(\.|->)spend\(", text)}
    of_servers = {name for name in unlimited if name.split("/")[0] not in OWN_FILES or name in LIMITED_INPUT}
    assert of_servers == set(LIMITED_INPUT), "parsers without a budget or a listed limit of their input, or a stale entry"


def test_every_function_that_takes_a_file_takes_a_budget():
    without = [f"{path.relative_to(SOURCE)}: {function}"
               for path in (SOURCE / "channel").rglob("*.h") if not is_test(path)
               for function, parameters in FILE_PARAMETER.findall(re.sub(r"//.*", "", path.read_text()))
               if "ParseBudget&" not in parameters and function not in CONSTANT_TIME]
    assert not without, "functions that read a file without a budget"


def test_every_format_of_statements_is_fuzzed():
    formats = {path.parent.name for path in (SOURCE / "channel").rglob("*.h")
               if re.search(r"public Statements\b", path.read_text())}
    assert formats
    for name in formats:
        fuzzer = ROOT / "tests/fuzz" / f"{name}_statement_fuzz.cpp"
        assert "check_statement(" in fuzzer.read_text(), name
    assert "check_amplification(" in (SOURCE / "channel/testing/statement_check.h").read_text()

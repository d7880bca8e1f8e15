"""Checks the documentation: generated pages are current, links resolve, documented commands and options exist, lists
are complete."""

import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = pathlib.Path(os.environ.get("FINALITY_BINARY", ROOT / "build/release/finality")).resolve()
MADE = ["machines.md", "cli.md", "errors.md", "chart.md", "statements.md", "schema.md"]
MADE_IN_PART = ["configuration.md"]
LISTED = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT,
                        capture_output=True, text=True, check=True).stdout.split()
PAGES = sorted(ROOT / name for name in set(LISTED) if (ROOT / name).is_file())
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)


def name_of(page):
    return str(page.relative_to(ROOT))


def text_of(name):
    return (ROOT / name).read_text()


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


# Tests of generated pages.


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    directory = tmp_path_factory.mktemp("made")
    subprocess.run([ROOT / "tools/make-docs", directory], env={**os.environ, "FINALITY_BINARY": str(BINARY)}, check=True)
    return directory


@pytest.mark.parametrize("page", MADE + MADE_IN_PART)
def test_generated_pages_are_current(made, page):
    assert text_of(f"docs/reference/{page}") == (made / page).read_text(), "run: make docs"


def test_every_postgres_statement_is_in_the_inventory():
    """Only the code for connections, schema, distribution and audit runs SQL that is not in
    docs/reference/statements.md."""
    text = re.compile(r"(?:->|\.)execute\(|PQ(?:exec|sendQuery|sendPrepare|prepare)\w*\(")
    users = {path.name for path in (ROOT / "src/store/postgres").iterdir()
             if path.suffix in (".cpp", ".h") and not re.search(r"_test\.cpp$|^test_", path.name)
             and text.search(path.read_text())}
    assert users == {"connection.cpp", "schema.cpp", "distribute.cpp", "audit.cpp"}


# Tests of links.


def headings_of(text):
    return re.findall(r"^(#+) (.+)$", FENCE.sub("", text), re.M)


def anchors_of(page):
    """Returns the anchors that GitHub generates for the headings of the page."""
    plain = [re.sub(r"[`*]|\]\([^)]*\)|\[", "", title).lower() for _, title in headings_of(page.read_text())]
    return {re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in plain}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_resolve(page):
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text().replace("[`", "[").replace("`]", "]"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            broken.append(link)
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
            broken.append(link)
    assert not broken


# Tests of documented commands.


@functools.lru_cache(maxsize=None)
def help_of(*command):
    done = subprocess.run([BINARY, *command, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def subcommands_of(*command):
    section = re.search(r"^Subcommands:\n((?:  .*\n)+)", help_of(*command), re.M)
    return re.findall(r"^  ([a-z]+) ", section[1], re.M) if section else []


def options_of(*command):
    """Returns {option: whether it takes a value} for a command, parsed from its help text."""
    options = {}
    for names, rest in re.findall(r"^  (-[-\w,]+)(.*)$", help_of(*command), re.M):
        takes_value = bool(re.match(r" (?!Excludes:)[A-Z]", rest))
        options.update({name: takes_value for name in names.split(",")})
    return options


def command_lines(text):
    """Yields the command lines of the page that run `finality`, from shell blocks and inline code."""
    blocks = "\n".join(body for kind, body in FENCE.findall(text) if kind in ("sh", "bash", "ini", ""))
    lines = blocks.replace("\\\n", " ").splitlines() + re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    for line in lines:
        found = re.search(r"(?:^|[\s(;=]|build/release/|/usr/local/bin/)finality((?: +[^\s;|&>#]+)+)", line)
        if found and re.match(r"(\w+=\S* +)*(ExecStart=)?(\S*/)?finality ", line.strip()):
            yield "finality" + found[1]


def mistake_in(line):
    words = shlex.split(line)[1:]
    command = []
    while words and words[0] in subcommands_of(*command):
        command.append(words.pop(0))
    if not command and words and not words[0].startswith("-"):
        return None if words[0].isupper() else f"unknown command {words[0]}"
    options = options_of(*command)
    while words:
        word, _, value = words.pop(0).partition("=")
        if word.startswith("-"):
            if word not in options:
                return f"{' '.join(command)} has no option {word}"
            if options[word] and not value:
                if not words:
                    return f"{word} needs a value"
                words.pop(0)
        elif "Positionals:" not in help_of(*command):
            return f"{' '.join(command)} takes no {word}"
    return None


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in MADE], ids=name_of)
def test_commands_parse(page):
    wrong = {line: mistake_in(line) for line in command_lines(page.read_text())}
    assert not {line: mistake for line, mistake in wrong.items() if mistake}


def test_commands_are_found_and_mistakes_are_detected():
    """Checks the checker: it finds commands in README.md, and it detects wrong options and arguments."""
    assert len(list(command_lines(text_of("README.md")))) > 10
    assert mistake_in("finality serve --config FILE") is None
    assert mistake_in("finality fsm show payment --format mermaid") is None
    assert mistake_in("finality serve --configuration FILE")
    assert mistake_in("finality server")
    assert mistake_in("finality keys make")
    assert mistake_in("finality migrate --store")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_make_targets_exist(page):
    targets = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.M))
    shell = "\n".join(body for kind, body in FENCE.findall(page.read_text()) if kind == "sh")
    spans = re.findall(r"`(make [a-z]+)[^`]*`", FENCE.sub("", page.read_text()))
    named = {line.split()[1] for line in shell.splitlines() + spans if re.match(r"make [a-z]+", line)}
    assert named <= targets


# Tests of README.md and README.zh-CN.md.


def test_both_readmes_have_the_same_shape():
    english, chinese = text_of("README.md"), text_of("README.zh-CN.md")
    assert [level for level, _ in headings_of(english)] == [level for level, _ in headings_of(chinese)]
    assert FENCE.findall(english) == FENCE.findall(chinese)


# Tests of lists that must be complete.


def settings_of_channels():
    """Returns the settings that all channel kinds have, and {kind: settings} of the further settings."""
    common = re.search(r"kCommonSettings\[\] = \{([^}]*)\}", text_of("src/app/config/channel_settings.cpp"))[1]
    kinds = json.loads(subprocess.run([BINARY, "channels", "--format", "json"], capture_output=True, text=True,
                                      check=True).stdout)
    own = {kind["kind"]: {name for setting in kind["settings"] for name in setting["names"]} for kind in kinds}
    return set(re.findall(r'"(\w+)"', common)), own


def test_every_setting_is_documented():
    source = "".join(text_of(f"src/app/config/{name}.cpp") for name in ["config", "route_settings", "bank_settings"])
    page = text_of("docs/reference/configuration.md")
    settings = {key for keys in re.findall(r"\.only\(\{([^}]*)\}\)", source) for key in re.findall(r'"(\w+)"', keys)}
    common, own = settings_of_channels()
    rows = set(re.findall(r"^\| `(\w+)` \| (?:text|boolean|integer|number|list|table)", page, re.M))
    of_kinds = set().union(*own.values())  # settings in the generated tables, one table per channel kind
    tables = {"health", "rate_limits", "webhooks", "bank_accounts", "routes", "log", "statements", "archive", "uploads"}
    assert rows == (settings - tables) | common | of_kinds
    example = set(re.findall(r"^(\w+) =", re.search(r"```toml\n(.*?)```", page, re.S)[1], re.M))
    assert example <= rows and rows - example <= of_kinds


def test_the_configuration_example_has_only_existing_kinds_and_settings():
    example = tomllib.loads(re.search(r"```toml\n(.*?)```", text_of("docs/reference/configuration.md"), re.S)[1])
    common, own = settings_of_channels()
    channels = example["channels"].values()
    for channel in channels:
        assert set(channel) <= common | own[channel["kind"]]


def test_every_limit_is_documented_with_its_value():
    limits = re.findall(r"^inline constexpr \S+ (k\w+) = ([^;]+);", text_of("src/base/limits.h"), re.M)
    rows = re.findall(r"^\| `(k\w+)` \| `([^`]+)` \|", text_of("docs/reference/configuration.md"), re.M)
    assert rows == limits


def test_every_metric_is_documented():
    source = text_of("src/app/node.cpp") + text_of("src/http/server/metrics.cpp")
    rows = re.findall(r"^\| `(finality_\w+)` \|", text_of("docs/reference/metrics.md"), re.M)
    assert sorted(rows) == sorted(set(re.findall(r'"(finality_\w+)"', source)))


def test_every_table_is_documented():
    tables = re.findall(r"^CREATE TABLE (\w+)", text_of("src/store/schema/migrations.cpp"), re.M)
    page = text_of("docs/reference/schema.md").split("<!-- end -->")[0]
    assert sorted(set(re.findall(r"^\| `(\w+)` \|", page, re.M))) == sorted(tables)


def test_every_file_that_a_page_names_exists():
    wrong = []
    for page in PAGES:
        for path in re.findall(r"`((?:src|tests|tools|docs|sandbox|bench)/[\w./-]*)`", FENCE.sub("", page.read_text())):
            made = path.startswith("bench/results/")  # `make bench` creates these files
            if "/name/" not in path and not made and not (ROOT / path).exists():
                wrong.append(f"{name_of(page)}: {path}")
    assert not wrong


def test_a_file_has_what_a_page_names_in_it():
    named = [(page, path, word) for page in PAGES
             for path, word in re.findall(r"`(src/[\w/.-]+)` \(`(\w+)`", FENCE.sub("", page.read_text()))]
    assert named
    assert [f"{name_of(page)}: {path} has no {word}" for page, path, word in named if word not in text_of(path)] == []


@pytest.mark.parametrize("page", ["integration.md", "integration.zh-CN.md"])
def test_the_integration_guide_has_every_refusal_with_its_status_and_whether_to_retry(page):
    source = text_of("src/model/refusal.h")
    codes = re.findall(r"^  (\w+),$", re.search(r"enum class RefusalCode[^{]*\{(.*?)\};", source, re.S)[1], re.M)
    infos = re.findall(r"^      \{(\d+), \w+, (\d+), \"", source, re.M)
    assert len(codes) == len(infos)
    rows = re.findall(r"^\| ([^|]*\d{3}[^|]*) \| ([^|]*) \| ([^|]*) \|", text_of(f"docs/guide/{page}"), re.M)
    for code, (status, retry_after) in zip(codes, infos):
        found = [(statuses, retry) for statuses, named, retry in rows if f"`{code}`" in named]
        assert len(found) == 1, code
        assert status in found[0][0] and ("**" in found[0][1]) == (retry_after != "0"), code

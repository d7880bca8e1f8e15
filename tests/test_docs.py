"""Checks the documentation: generated pages are current, links resolve, documented commands and options exist, lists
are complete."""

import functools
import itertools
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


def test_the_scenarios_of_the_sandbox_are_current_and_complete(made):
    page = text_of("sandbox/README.md")
    assert page == (made / "sandbox.md").read_text(), "run: make docs"
    rows = page.split("<!-- made by tools/make-docs: trades -->")[1].split("<!-- end authorizations -->")[0]
    names = re.findall(r'\.name = "(\w+)"', text_of("sandbox/core/scenario.cpp"))
    assert sorted(re.findall(r"^\| `(\w+)`", rows, re.M)) == sorted(names)


def test_the_list_of_statements_is_complete_and_has_no_sql():
    page = text_of("docs/reference/statements.md")
    statements = json.loads(subprocess.run([BINARY, "sql", "--format", "json"], capture_output=True, text=True,
                                           check=True).stdout)
    prefixes = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*`) \| [a-z`]", page, re.M)[:5])))
    assert sorted(re.findall(r"^\| `(\w+\.[\w.]+)`", page, re.M)) == sorted(each["name"] for each in statements)
    assert {each["name"].split(".")[0] for each in statements} <= prefixes
    assert not re.search(r"\bSELECT\b|\bINSERT\b", page)


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
    """Checks the checker: it finds commands in a page, and it detects wrong options and arguments."""
    assert len(list(command_lines(text_of("docs/reference/commands.md")))) > 10
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


# Tests of pages in two languages.

SAME_SHAPE = ["README.md", "docs/README.md", "docs/guide/first-payment.md", "docs/reference/commands.md"]
INDEXES = [name.replace(".md", ".zh-CN.md") for name in ("README.md", "docs/README.md", "docs/reference/commands.md")]
CHINESE = [page for page in PAGES if page.name.endswith(".zh-CN.md")]


def english_of(page):
    return page.with_name(page.name.replace(".zh-CN.md", ".md"))


def chinese_of(page):
    return page.with_name(page.name.replace(".md", ".zh-CN.md"))


@pytest.mark.parametrize("name", SAME_SHAPE)
def test_both_languages_have_the_same_shape(name):
    english, chinese = text_of(name), text_of(name.replace(".md", ".zh-CN.md"))
    assert [level for level, _ in headings_of(english)] == [level for level, _ in headings_of(chinese)]
    assert FENCE.findall(english) == FENCE.findall(chinese)


@pytest.mark.parametrize("page", CHINESE, ids=name_of)
def test_pages_in_two_languages_link_to_each_other(page):
    assert f"]({page.name})" in english_of(page).read_text() and f"]({english_of(page).name})" in page.read_text()


def links_with_language(page):
    """Yields (page that is linked, whether the link has the mark "in English") for each link of a Chinese page."""
    for path, mark in re.findall(r"\]\(([^)#\s:]+\.md)(?:#[^)\s]*)?\)(（英文）)?", without_code(page.read_text())):
        yield (page.parent / path).resolve(), bool(mark)


def is_chinese(page):
    """Returns whether a page is written in Chinese, alone or beside English."""
    return len(re.findall(r"[\u4e00-\u9fff]", page.read_text())) > 200


@pytest.mark.parametrize("page", CHINESE, ids=name_of)
def test_chinese_pages_link_to_chinese_pages_and_mark_english_ones(page):
    wrong = []
    for linked, marked in links_with_language(page):
        written_in_chinese = linked.name.endswith(".zh-CN.md") or linked.name == "glossary.md"
        if marked and written_in_chinese:
            wrong.append(f"{name_of(linked)} is not in English")
        if not marked and linked != english_of(page) and chinese_of(linked).exists():
            wrong.append(f"{name_of(linked)} has a Chinese version")
        if name_of(page) in INDEXES and linked != english_of(page) and marked == written_in_chinese:
            wrong.append(f"{name_of(linked)} has no mark, or a wrong one")
    assert not wrong


def test_languages_of_pages_are_as_their_names_state():
    wrong = [name_of(page) for page in CHINESE if not is_chinese(page)]
    assert not wrong


# Tests of numbers in texts.

NUMBERS = dict(zip("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
                   "seventeen eighteen nineteen twenty".split(), range(1, 21)))
CHINESE_NUMBERS = dict(zip("一 二 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十".split(), range(1, 21)))
CHINESE_NUMBERS["两"] = 2


def machines():
    return len(subprocess.run([BINARY, "fsm", "check"], capture_output=True, text=True, check=True).stdout.splitlines())


def languages_of_verification():
    section = text_of("docs/guide/integration.md").split("\n## Verification functions\n")[1].split("\n## ")[0]
    return len(re.findall(r"^### ", section, re.M))


def sdks():
    """The packages whose modules tests/e2e/interop runs (docs/adr/0020)."""
    return len(set(re.findall(r"alipay-sdk|wechatpay-axios-plugin|standardwebhooks",
                              text_of("tests/interop/package.json"))))


def scenarios():
    return len(re.findall(r'\.name = "', text_of("sandbox/core/scenario.cpp")))


# What a page counts: the pattern with the number in English or Chinese, and the function that counts it.
COUNTED = {
    "machines": (r"(\w+) (?:state )?machines(?! with)|(\d+|[一二三四五六七八九十两]+)\s*个状态机", machines),
    "languages": (r"\bin (\w+) languages|(\d+|[一二三四五六七八九十两]+)\s*种语言", languages_of_verification),
    "SDKs": (r"(\w+) (?:third-party )?SDKs|(\d+|[一二三四五六七八九十两]+)\s*个 SDK", sdks),
    "scenarios": (r"(\w+) scenarios(?! of)|(\d+)\s*个场景", scenarios),
}


def number(word):
    return int(word) if word.isdigit() else NUMBERS.get(word.lower(), CHINESE_NUMBERS.get(word))


@pytest.mark.parametrize("counted", COUNTED)
def test_numbers_in_pages_are_counted(counted):
    """A page may count, but then rightly. Decisions are exempt: they describe the program of their time. Two languages
    are English and Chinese."""
    pattern, count = COUNTED[counted]
    expected, wrong = count(), []
    for page in PAGES:
        if name_of(page).startswith("docs/adr/"):
            continue
        for match in re.finditer(pattern, FENCE.sub("", page.read_text())):
            given = number(next(filter(None, match.groups())))
            if given not in (None, 1, 2, expected):
                wrong.append(f"{name_of(page)}: {match[0]}, expected {expected}")
    assert not wrong


def test_wrong_numbers_are_detected():
    """Checks the patterns of COUNTED."""
    for counted, text, given in [("machines", "All eleven state machines", 11), ("machines", "十一个状态机", 11),
                                 ("machines", "全部 15 个状态机", 15), ("languages", "verification in five languages", 5),
                                 ("languages", "五种语言", 5), ("SDKs", "downloads three SDKs", 3)]:
        match = re.search(COUNTED[counted][0], text)
        assert number(next(filter(None, match.groups()))) == given, text


# Tests of the paths through the pages.


def targets_of(page):
    """Returns the pages of the repository that a page links to."""
    links = re.findall(r"\]\(([^)#\s:]+\.md)(?:#[^)\s]*)?\)", without_code(page.read_text()))
    return {(page.parent / link).resolve() for link in links}


def paths_of(index):
    """Returns {title: pages in order} of the section "Where to start" of docs/README.md or docs/README.zh-CN.md."""
    start = index.read_text().split("\n## ")[1]
    return {part.splitlines()[0]: [(index.parent / link).resolve() for link in re.findall(r"^\d\. \[[^\]]*\]\(([^)]+)\)", part, re.M)]
            for part in start.split("\n### ")[1:]}


def without_language(page):
    return english_of(page) if page.name.endswith(".zh-CN.md") else page


@pytest.mark.parametrize("name", ["docs/README.md", "docs/README.zh-CN.md"])
def test_each_path_can_be_walked_from_page_to_page(name):
    paths = paths_of(ROOT / name)
    assert len(paths) == 4
    for title, pages in paths.items():
        assert 4 <= len(pages) <= 6, title
        for page, following in zip(pages, pages[1:]):
            assert page.exists() and following.exists(), title
            linked = {without_language(each) for each in targets_of(page)}
            assert without_language(following) in linked, f"{title}: {name_of(page)} does not link to {name_of(following)}"


def test_both_languages_have_the_same_paths_which_begin_at_the_readme():
    english, chinese = (list(paths_of(ROOT / name).values()) for name in ("docs/README.md", "docs/README.zh-CN.md"))
    assert [[without_language(page) for page in path] for path in chinese] == english
    for readme, paths in [("README.md", english), ("README.zh-CN.md", chinese)]:
        assert {path[0] for path in paths} | {ROOT / readme.replace("README", "docs/README")} <= targets_of(ROOT / readme)


@pytest.mark.parametrize("start", ["README.md", "README.zh-CN.md"])
def test_every_page_of_docs_can_be_reached(start):
    reached, waiting = set(), [ROOT / start]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.exists():
            reached.add(page)
            waiting += targets_of(page)
    assert [name_of(page) for page in PAGES if name_of(page).startswith("docs/") and page not in reached] == []


def test_the_readmes_are_short():
    assert all(len(text_of(name).splitlines()) <= 120 for name in ("README.md", "README.zh-CN.md"))


def sentences_and_commands(name):
    """Returns the sentences and the lines of code of a page that are longer than 45 characters, without the commands that
    read a value for the commands that follow."""
    text = text_of(name)
    lines = [line.strip() for _, body in FENCE.findall(text) for line in body.splitlines()]
    prose = [" ".join(each.split()) for each in re.split(r"(?<=[.:])\s", FENCE.sub("", text))]
    return {each for each in lines + prose if len(each) > 45 and not re.match(r"[A-Z]+=\$\(", each)}


@pytest.mark.parametrize("one, other", list(itertools.combinations(
    ["README.md", "docs/guide/first-payment.md", "docs/guide/integration.md"], 2)))
def test_the_first_pages_do_not_repeat_each_other(one, other):
    assert not sentences_and_commands(one) & sentences_and_commands(other)


def test_every_decision_is_listed_with_its_title():
    listed = re.findall(r"^- \[(\d{4})\]\((\S+)\) (.*)$", text_of("docs/adr/README.md"), re.M)
    pages = sorted((ROOT / "docs/adr").glob("[0-9]*.md"))
    titles = [re.match(r"# (\d{4}) (.*)", page.read_text()).groups() for page in pages]
    assert listed == [(number, page.name, title) for page, (number, title) in zip(pages, titles)]


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
    limits = re.findall(r"^inline constexpr \S+ (k\w+) =\s+([^;]+);", text_of("src/base/limits.h"), re.M)
    rows = re.findall(r"^\| `(k\w+)` \| `([^`]+)` \|", text_of("docs/reference/configuration.md"), re.M)
    assert rows == limits


def test_every_metric_is_documented():
    source = text_of("src/app/node.cpp") + text_of("src/http/server/metrics.cpp")
    rows = re.findall(r"^\| `(finality_\w+)` \|", text_of("docs/reference/metrics.md"), re.M)
    assert sorted(rows) == sorted(set(re.findall(r'"(finality_\w+)"', source)))


def test_every_table_is_documented():
    migrations = text_of("src/store/schema/migrations.cpp")
    tables = set(re.findall(r"^CREATE (?:TABLE|VIEW) (\w+)", migrations, re.M))
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
    """Also of the README.md of a folder, which names its files without the folder, and a header for its source too."""
    wrong, count = [], 0
    for page in PAGES:
        for path, word in re.findall(r"`([\w/.-]+\.(?:h|cpp))` \(`(\w+)`", FENCE.sub("", page.read_text())):
            file = ROOT / path if path.startswith("src/") else page.parent / path
            if not file.exists() and not name_of(page).startswith("src/"):
                continue  # a file of the folder that the page has named before
            sources = [each for each in (file, file.with_suffix(".cpp")) if each.exists()]
            count += 1
            if not any(word in each.read_text() for each in sources):
                wrong.append(f"{name_of(page)}: {path} has no {word}")
    assert count and not wrong


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

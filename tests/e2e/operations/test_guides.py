"""Runs the commands of a guide in sequence on a new server and compares their output with the page."""

import json
import os
import re
import subprocess

import pytest

from finality_server import BINARY, ROOT
from store_place import SERVER

pytestmark = pytest.mark.skipif(SERVER is not None, reason="the pages are about the embedded store")

PAGES = {"accounts": 15, "adjustments": 3, "authorization": 6}  # of docs/guide/, with the least number of blocks with commands
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
END = "--- end of the block"
# Patterns of values that differ in each run. plain() replaces them, so only their kind is compared.
ID = re.compile(r"(acc|adj|auth|cap|key|mer|ent|hld|msg|ord|pay|prc|fee|rcp|ref|trf)_[0-9a-z]+")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
TOKEN = re.compile(r"(\d+)-[0-9a-f]{12,}")


@pytest.fixture(scope="module", params=PAGES)
def page(request):
    return request.param


@pytest.fixture(scope="module")
def module_server(start_server, page):
    server = start_server(f"guide-{page}")
    yield server
    server.stop()
    server.verify()


@pytest.fixture(scope="module")
def steps(page):
    """Returns a pair for each shell block of the page: the block, and the output that the page shows for it, or None if
    the page shows no output."""
    content = (ROOT / f"docs/guide/{page}.md").read_text(encoding="utf-8")
    blocks, found = FENCE.findall(content), []
    for place, (kind, text) in enumerate(blocks):
        if kind == "sh":
            following = blocks[place + 1] if place + 1 < len(blocks) else ("", "")
            found.append((text, following[1] if following[0] in {"json", "text"} else None))
    return found


@pytest.fixture(scope="module")
def outputs(module_server, steps, tmp_path_factory):
    """Runs all shell blocks of the page in one shell and returns the output of each."""
    directory = tmp_path_factory.mktemp("guide")
    (directory / "demo-data").symlink_to(module_server.data)
    (directory / "build/release").mkdir(parents=True)
    (directory / "build/release/finality").symlink_to(BINARY)
    script = "".join(f"{commands}\necho '{END}'\n" for commands, _ in steps)
    assert "http://127.0.0.1:8080" in script
    script = script.replace("http://127.0.0.1:8080", module_server.demo["base_url"])
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=directory, env=environment,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", f"{done.stderr}\n{done.stdout}"
    return done.stdout.split(END + "\n")[:-1]


def values_in(text):
    """Parses a text of concatenated JSON values and returns them as a list."""
    values, decoder, text = [], json.JSONDecoder(), text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:].strip()
    return values


def plain(value):
    """Replaces ids, times and tokens, which differ in each run, by placeholders."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, str):
        return TOKEN.sub(r"\1-…", TIME.sub("a time", ID.sub(r"\1_…", value)))
    return value


def within(shown, answered):
    """Returns whether the output `answered` contains every field that the page shows, with the same value."""
    if isinstance(shown, dict) and isinstance(answered, dict):
        return all(name in answered and within(value, answered[name]) for name, value in shown.items())
    if isinstance(shown, list) and isinstance(answered, list):
        return len(shown) == len(answered) and all(map(within, shown, answered))
    return shown == answered


def test_the_page_has_commands_and_their_output(page, steps):
    assert len(steps) > PAGES[page] and sum(shown is not None for _, shown in steps) > PAGES[page] - 2


def test_every_command_prints_what_the_page_shows(steps, outputs):
    assert len(outputs) == len(steps)
    for (commands, shown), output in zip(steps, outputs):
        if shown is None:
            assert output == "", f"{commands}\nprints {output!r}, which the page does not show"
        elif shown.startswith("{"):
            expected, answered = plain(values_in(shown)), plain(values_in(output))
            assert within(expected, answered), f"{commands}\nprints {output}\nthe page shows {shown}"
        else:
            assert output == shown, commands


def test_a_difference_is_detected():
    """Checks `within` itself: it rejects a different value and a missing field."""
    answered = {"id": "acc_1", "amount": 5, "data": [{"state": "open", "at": "2026-01-01T00:00:00.000Z"}]}
    assert within(plain({"id": "acc_2", "data": [{"state": "open"}]}), plain(answered))
    for shown in [{"amount": 6}, {"id": "ord_1"}, {"other": 5}, {"data": []}, {"data": [{"state": "closed"}]}]:
        assert not within(plain(shown), plain(answered))
    assert values_in('{"a": 1}\n {"b": 2}') == [{"a": 1}, {"b": 2}]

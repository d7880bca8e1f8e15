"""docs/guide/what-happens-when.md tells what really happens, and nothing takes longer than it says."""

import copy
import difflib
import os
import re
import subprocess

import pytest

from finality_server import ROOT
from scenario_timelines import AT_MOST_S, FAST, PAGE, STORIES, play_all, scenarios
from timeline_page import page_of, section
from timeline_steps import Teller


@pytest.fixture(scope="module")
def story_server(start_server):
    """A server of its own, on which every story begins at once."""
    return start_server("stories", FAST)


@pytest.fixture(scope="module")
def played(contract, story_server, merchant_server):
    return {each.story.name: each for each in play_all(contract, story_server, merchant_server)}


def test_every_scenario_has_its_story():
    assert {story.scenario for story in STORIES} == set(scenarios())
    assert len({story.name for story in STORIES}) == len(STORIES)
    source = (ROOT / "sandbox/core/scenario.cpp").read_text(encoding="utf-8")
    assert len(scenarios()) == source.count(".name = "), "one of them was not understood"


def test_the_page_is_fresh(played):
    text = page_of(played.values())
    made = ROOT / "build" / PAGE.name
    made.parent.mkdir(exist_ok=True)
    made.write_text(text, encoding="utf-8")
    committed = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    changes = difflib.unified_diff(committed.splitlines(), text.splitlines(), str(PAGE), str(made), lineterm="", n=1)
    if text != committed:
        pytest.fail("\n".join([f"{PAGE.name} does not tell what happens now. Run: make docs", *changes]), pytrace=False)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_no_story_takes_longer_than_is_promised(played, story):
    """The one place where a time is asserted: beyond the scenario's own delays, all is quiet within 15 s."""
    assert played[story.name].seconds <= story.delays_s + AT_MOST_S


# What a race decides does not change the page.

def words(timeline, evidence):
    return [number for number, item in enumerate(timeline)
            if item["kind"] in ("response", "notification", "query") and item["detail"]["evidence"] == evidence]


def told_otherwise(one, change):
    """The section, had the timeline been otherwise."""
    other = copy.deepcopy(one)
    change(other.timeline)
    assert other.timeline != one.timeline
    return section(other, scenarios())


def test_it_does_not_matter_who_brought_the_news(played):
    def by_query(timeline):
        paid = words(timeline, "paid")[0]
        timeline[paid]["kind"] = {"notification": "query", "query": "notification"}[timeline[paid]["kind"]]

    one = played["pays"]
    assert told_otherwise(one, by_query) == section(one, scenarios())


def test_news_that_is_none_is_not_told(played):
    def again(timeline):
        paid = words(timeline, "paid")[0]
        event = next(item for item in timeline[paid:] if item["detail"].get("type") == "payment.paid")
        known = copy.deepcopy(event)
        known["detail"].update({"event": "already_known", "type": "payment.already_known", "from": "succeeded", "cell": "keep"})
        timeline += [copy.deepcopy(timeline[paid]), known]

    one = played["pays"]
    assert told_otherwise(one, again) == section(one, scenarios())
    doubled = Teller(played["notification_doubled"]).steps
    assert [step.what for step in doubled].count("says: paid, 19.99 CNY") == 2, "unless it is what the story is about"


def test_an_older_word_that_comes_late_is_told(played):
    for name in ["notification_reordered", "notification_before_reply"]:
        last = Teller(played[name]).steps[-1]
        assert last.word[1] == "waiting" and last.states == {"payment": "stays succeeded"}, name


# What is shown can be done.

def test_the_shown_commands_work(played, story_server, tmp_path):
    [shown] = re.findall(r"^```sh\n(.*?)^```$", page_of(played.values()), re.M | re.S)
    shown = shown.replace("http://127.0.0.1:8080", story_server.demo["base_url"])
    shown = shown.replace("demo-data/demo.json", str(story_server.data / "demo.json"))
    shown = shown.replace('"scenario":"pays"', '"scenario":"never_pays"')
    close = re.search(r"close the order: `(.*?)`", section(played["never_pays"], scenarios()))[1]
    second = re.search(r"second payment: `(.*?)`", section(played["Two payments, both paid"], scenarios()))[1]
    refund = re.search(r"a part back: `(.*?)`", section(played["refund_refused"], scenarios()))[1]
    second = second.replace('"scenario":"pays"', '"scenario":"never_pays"')  # or it would race the close
    script = "\n".join(["set -euo pipefail", shown, *(f"echo; {each}" for each in [second, refund, close])])
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
                          env={**os.environ, "no_proxy": "127.0.0.1"})
    made, second, refund, closed = done.stdout.splitlines()[-4:]
    assert '"kind":"event"' in made and '"object":"payment"' in second
    assert '"code":"payment_not_refundable"' in refund and '"close_requested":true' in closed


def test_the_store_keeps_every_invariant(played, story_server):
    """Last in this module: stops the server in order and audits what it wrote."""
    story_server.stop()
    assert story_server.verify()["checked"]

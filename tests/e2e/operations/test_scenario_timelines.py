"""The pages docs/guide/what-happens-when.md and docs/guide/authorization-timelines.md match the timelines of real
orders, and every scenario ends within its time limit."""

import copy
import difflib
import os
import re
import subprocess

import pytest

from finality_server import ROOT
from scenario_timelines import AT_MOST_S, FAST, play_all, scenarios
from timeline_page import PAGES, diagram, in_short, section, text_of
from timeline_steps import Teller

STORIES = [story for page in PAGES for story in page.stories]


@pytest.fixture(scope="module")
def story_server(start_server):
    """A server for this module only, on which all scenarios of a page run concurrently."""
    return start_server("stories", FAST)


@pytest.fixture(scope="module")
def played(contract, story_server, merchant_server):
    """The results of all stories by name, page after page."""
    return {each.story.name: each for page in PAGES
            for each in play_all(contract, story_server, merchant_server, page.stories)}


def shown_text(page, played, shows_all=False):
    return text_of(page, [played[story.name] for story in page.stories], shows_all)


def test_every_scenario_has_its_story():
    assert {story.scenario for story in STORIES} == set(scenarios())
    assert len({story.name for story in STORIES}) == len(STORIES)
    source = (ROOT / "sandbox/core/scenario.cpp").read_text(encoding="utf-8")
    assert len(scenarios()) == source.count(".name = "), "the pattern of scenarios() misses an entry"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.stem)
def test_the_page_is_fresh(played, page):
    text = shown_text(page, played)
    made = ROOT / "build" / page.path.name
    made.parent.mkdir(exist_ok=True)
    made.write_text(text, encoding="utf-8")
    committed = page.path.read_text(encoding="utf-8") if page.path.exists() else ""
    changes = difflib.unified_diff(committed.splitlines(), text.splitlines(), str(page.path), str(made), lineterm="",
                                   n=1)
    if text != committed:
        pytest.fail("\n".join([f"{page.path.name} is not current. Run: make docs", *changes]), pytrace=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.stem)
def test_the_page_lists_every_story_and_shows_the_chosen_timelines(played, page):
    """Also of the page with all timelines, which is not committed."""
    every = [story.name for story in page.stories]
    for shown, text in [(list(page.shown), page.path.read_text(encoding="utf-8")),
                        (every, shown_text(page, played, shows_all=True))]:
        rows = re.findall(r"^\| \[?(.*?)(?:\]\(#[\w-]+\))?(?: \(`\w+`\))? \| .* \| (.*) \| (.*) \|$", text, re.M)
        ends = {name: tuple(end) for name, *end in rows}
        assert {name: ends[name] for name in every} == {name: in_short(played[name]) for name in every}
        titles = re.findall(r"^## (.*)$", text, re.M)
        assert sorted(set(titles) & set(every)) == sorted(shown)


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_readme_shows_the_recorded_timeline_of_a_payment(played, name):
    recorded = diagram(Teller(played["pays"]).steps).replace("19.99 CNY", "80.00 CNY")
    assert recorded in (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_every_story_ends_within_its_time_limit(played, story):
    """All objects of a scenario are final within AT_MOST_S (15 s) plus the scenario's own delays. No other test asserts
    a duration."""
    assert played[story.name].seconds <= story.delays_s + AT_MOST_S


# Tests that the page does not depend on race conditions.

def words(timeline, evidence):
    return [number for number, item in enumerate(timeline)
            if item["kind"] in ("response", "notification", "query") and item["detail"]["evidence"] == evidence]


def section_after(one, change):
    """Applies `change` to a copy of the run's timeline and returns the section that the page would show for it."""
    other = copy.deepcopy(one)
    change(other.timeline)
    assert other.timeline != one.timeline
    return section(other, scenarios())


def test_the_source_of_a_report_does_not_change_the_page(played):
    def by_query(timeline):
        paid = words(timeline, "paid")[0]
        timeline[paid]["kind"] = {"notification": "query", "query": "notification"}[timeline[paid]["kind"]]

    one = played["pays"]
    assert section_after(one, by_query) == section(one, scenarios())


def test_a_report_without_effect_is_not_shown(played):
    def again(timeline):
        paid = words(timeline, "paid")[0]
        event = next(item for item in timeline[paid:] if item["detail"].get("type") == "payment.paid")
        known = copy.deepcopy(event)
        known["detail"].update({"event": "already_known", "type": "payment.already_known", "from": "succeeded", "cell": "keep"})
        timeline += [copy.deepcopy(timeline[paid]), known]

    one = played["pays"]
    assert section_after(one, again) == section(one, scenarios())
    doubled = Teller(played["notification_doubled"]).steps
    assert [step.what for step in doubled].count("reports: paid, 19.99 CNY") == 2, "a story with `repeats` shows it"


def test_the_first_report_about_a_capture_does_not_change_the_page(played):
    """The response, the notification about the capture and the one about its authorization arrive in any order."""
    def by_notification(timeline):
        item = next(each for each in timeline if each["kind"] in ("response", "notification") and
                    each["object_id"].startswith("cap_") and each["detail"]["evidence"] == "paid")
        item["kind"] = {"response": "notification", "notification": "response"}[item["kind"]]

    def by_hold(timeline):
        [hold] = [each for each in timeline if each["detail"].get("evidence") == "released"]
        paid = next(each for each in timeline if each["detail"].get("evidence") == "paid")
        paid["object_id"], paid["kind"] = hold["object_id"], "notification"
        paid["detail"] = copy.deepcopy(hold["detail"])

    one = played["authorizes"]
    for change in (by_notification, by_hold):
        assert section_after(one, change) == section(one, scenarios())


def test_an_older_report_that_arrives_late_is_shown(played):
    for name in ["notification_reordered", "notification_before_reply"]:
        last = Teller(played[name]).steps[-1]
        assert last.word[1] == "waiting" and last.states == {"payment": "stays succeeded"}, name


# Tests of the commands on the page.

def test_the_shown_commands_work(played, story_server, tmp_path):
    [shown] = re.findall(r"^```sh\n(.*?)^```$", shown_text(PAGES[0], played), re.M | re.S)
    shown = shown.replace("http://127.0.0.1:8080", story_server.demo["base_url"])
    shown = shown.replace("demo-data/demo.json", str(story_server.data / "demo.json"))
    shown = shown.replace('"scenario":"pays"', '"scenario":"never_pays"')
    close = re.search(r"close the order: `(.*?)`", section(played["never_pays"], scenarios()))[1]
    second = re.search(r"second payment: `(.*?)`", section(played["Two payments, both paid"], scenarios()))[1]
    refund = re.search(r"refund a part: `(.*?)`", section(played["refund_refused"], scenarios()))[1]
    second = second.replace('"scenario":"pays"', '"scenario":"never_pays"')  # would race the close
    script = "\n".join(["set -euo pipefail", shown, *(f"echo; {each}" for each in [second, refund, close])])
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
                          env={**os.environ, "no_proxy": "127.0.0.1"})
    made, second, refund, closed = [line for line in done.stdout.splitlines() if line][-4:]
    assert '"kind":"event"' in made and '"object":"payment"' in second
    assert '"code":"payment_not_refundable"' in refund and '"close_requested":true' in closed


def test_the_store_keeps_every_invariant(played, story_server):
    """Must be the last test of the module: stops the server gracefully and audits its store."""
    story_server.stop()
    assert story_server.verify()["checked"]

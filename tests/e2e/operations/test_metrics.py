"""The metrics have the right types: exactly the counters have names that end in `_total`."""

import re

from wait import until

TYPE = re.compile(r"^# TYPE (finality_\w+) (\w+)$", re.MULTILINE)


def text_of(shop):
    return shop.api.request("GET", "/metrics").text


def value_of(shop, name):
    return float(re.search(rf"^{name} (\S+)$", text_of(shop), re.MULTILINE)[1])


def test_counts_since_the_start_are_counters_and_current_values_are_gauges(shop):
    types = dict(TYPE.findall(text_of(shop)))
    assert types["finality_commands_total"] == types["finality_channel_calls_dropped_total"] == "counter"
    assert types["finality_queued_commands"] == types["finality_channel_breaker_open"] == "gauge"
    wrong = {name: kind for name, kind in types.items() if (kind == "counter") != name.endswith("_total")}
    assert not wrong


def test_a_counter_increases(shop):
    before = value_of(shop, "finality_commands_total")
    for _ in range(3):
        shop.api.create_order(amount=100)
    until(lambda: value_of(shop, "finality_commands_total") >= before + 3, "the commands are counted")

"""Generates docs/guide/what-happens-when.md from stories that were executed.

Run as a program, it starts a server, executes every story and writes the page: timeline_page.py FILE.
"""

import argparse
import pathlib
import tempfile
import textwrap

from contract import Contract
from finality_server import ROOT, FinalityServer
from merchant_server import MerchantServer
from sandbox_client import net_paid
from scenario_timelines import AMOUNT, FAST, play_all, scenarios
from timeline_steps import Names, Teller, money

# The diagram.

def diagram(steps):
    arrows = [arrow for step in steps for arrow in step.arrows]
    used = {end for start, target, _ in arrows for end in (start, target)}
    channels = sorted(used - {"merchant", "finality", "payer"})
    order = [each for each in ["merchant", "finality", *channels, "payer"] if each in used]
    lines = ["```mermaid", "sequenceDiagram"]
    lines += [f"  participant {each} as {each.capitalize()}" for each in order]
    for step in steps:
        lines += [f"  {start}{line_of(start, channels)}{target}: {text}" for start, target, text in step.arrows]
        if step.states:
            lines.append(f"  Note over finality: {', '.join(f'{name} {state}' for name, state in step.states.items())}")
        lines += [f"  finality-->>merchant: {told}" for told in step.told]
    return "\n".join([*lines, "```"])


def line_of(start, channels):
    return "-->>" if start in channels else "->>"


# The table.

def table(steps):
    lines = ["| by | what | then | entries | the merchant is told |", "|---|---|---|---|---|"]
    for step in steps:
        then = ", ".join(f"{name} {state}" for name, state in step.states.items())
        entries = ", ".join(f"`{entry_name(entry)}` {signed(entry)}" for entry in step.entries)
        told = ", ".join(f"`{kind}`" for kind in step.told)
        lines.append(f"| {step.by} | {step.what} | {then} | {entries} | {told} |")
    return "\n".join(lines)


def entry_name(entry):
    return entry["account_kind"] + (f" {entry['channel']}" if "channel" in entry else "")


def signed(entry):
    return ("+" if entry["amount"] > 0 else "") + money(entry["amount"], entry["currency"])


# The outcome.

def out_of_pocket(played):
    by_currency = {}
    for trade in played.trades:
        by_currency[trade["currency"]] = by_currency.get(trade["currency"], 0) + net_paid(trade)
    return " and ".join(money(amount, currency) for currency, amount in by_currency.items())


def ending(played):
    names, order = Names(played), played.order
    lines = [f"order `{order['state']}`, paid {money(order['paid_amount'], order['currency'])}, refunded "
             f"{money(order['refunded_amount'], order['currency'])}"]
    for payment in played.payments:
        lines.append(f"{names.of(payment['id'])} `{payment['state']}`{why(payment)}; {receipts_of(payment)}")
    for refund in played.refunds:
        tries = f" at attempt {refund['attempts']}" if refund["attempts"] > 1 else ""
        lines.append(f"{names.of(refund['id'])} of {money(refund['amount'], refund['currency'])} `{refund['state']}`"
                     f"{tries}{why(refund)}{came_back(refund)}")
    lines += [f"case `{case['kind']}`, `{case['state']}`; operators may decide "
              + " or ".join(f"`{each}`" for each in case["resolutions"]) for case in played.cases]
    lines += [f"**the payer is out of pocket {out_of_pocket(played)}**"]
    return "In the end:\n\n" + "\n".join(f"- {line}" for line in lines)


def why(row):
    return f" (`{row['failure']['code']}`)" if row["state"] == "failed" and "failure" in row else ""


def came_back(row):
    returned = row.get("returned_amount", 0)
    return f", of which {money(returned, row['currency'])} came back" if returned else ""


def receipts_of(payment):
    receipts = [f"{money(each['amount'], each['currency'])} {each['state']}" for each in payment["receipts"]]
    return "receipts: " + ", ".join(receipts) if receipts else "no receipt"


def in_short(played):
    """Returns the row's cells for the table at the top."""
    parts = [f"`{played.order['state']}`"]
    parts += [f"the {refund['kind']} `{refund['state']}`" for refund in played.refunds]
    parts += [f"case `{case['kind']}`" for case in played.cases]
    return ", ".join(parts), out_of_pocket(played)


# The page.

BEGINNING = f"""# What happens when

Made by the end-to-end tests (`tests/e2e/operations/test_scenario_timelines.py`) from real orders. Do not edit; `make docs` writes it anew.

What happens when the payer pays after the close? When the channel is silent, says two things, or is forged? Below is
what Finality really did, from each order's timeline (`GET /v1/orders/{{id}}/timeline`), and how it ended on both sides:
“out of pocket” is what the sandbox's own books say that the payer lost.

Everywhere the same holds. An order ends once. Money that belongs to nobody goes back by itself, or waits in suspense
for two operators. The merchant is told of every end, once.

## Try it yourself

With `make demo` running, in a second terminal:

```sh
KEY=$(sed 's/.*"secret_key":"\\([^"]*\\)".*/\\1/' demo-data/demo.json)
API=http://127.0.0.1:8080/v1
post() {{
  curl -s "$API/$1" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d "$2"
}}
post orders '{{"merchant_order_no":"when-1","amount":{AMOUNT},"currency":"CNY","subject":"Two coffees",
              "payment":{{"channel":"sandbox","scenario":"pays"}}}}' | tee answer.json
ORDER=$(grep -o 'ord_[0-9a-z]*' answer.json | head -1) PAYMENT=$(grep -o 'pay_[0-9a-z]*' answer.json | head -1)
curl -s "$API/orders/$ORDER/timeline" -H "Authorization: Bearer $KEY"
```

Each time with another `merchant_order_no`, and with what “Try it” says below. The demo takes its time: it asks a
channel again after 2 s, not after 20 ms as in the tests.

## How to read

A row of a table is one commit, or one request that it asked for. *Then* is what the objects named are from there on;
what is not named stays as it was. A credit is positive. Whether the channel's word came as notification, as answer or
because we asked is said only where it matters; often it is a race, and it makes no difference. What a channel says
twice in a row is shown once, unless that is the point.

## All of them

| | what happens at the channel | how the order ends | the payer is out of pocket |
|---|---|---|---|
"""


def page_of(played):
    said = scenarios()
    rows = []
    for each in played:
        short, lost = in_short(each)
        what = each.story.what or said[each.story.scenario]
        name = each.story.name
        rows.append(f"| [{name}](#{anchor(name)}) | {what} | {short} | {lost} |")
    return BEGINNING + "\n".join(rows) + "\n" + "".join(section(each, said) for each in played)


def anchor(title):
    return title.lower().replace(",", "").replace(" ", "-")


def section(played, said):
    story = played.story
    steps = Teller(played).steps
    what = wrapped(f"{story.what or said[story.scenario]} {story.about}")
    parts = [f"## {story.name}", what, try_it(story), diagram(steps), table(steps)]
    parts += played.remarks
    return "\n" + "\n\n".join([*parts, ending(played)]) + "\n"


def wrapped(text):
    return textwrap.fill(text, width=120, break_long_words=False, break_on_hyphens=False)


def try_it(story):
    payment = f'"payment":{{"channel":"{story.channel}","scenario":"{story.scenario}"}}'
    fields = "".join(f',"{name}":{quoted(value)}' for name, value in story.fields.items())
    acts = "; ".join([f"`{payment}{fields}`", *(act.__doc__ for act in story.acts)])
    return f"Try it: {acts}."


def quoted(value):
    return f'"{value}"' if isinstance(value, str) else value


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path)
    file = parser.parse_args().file
    merchant_server = MerchantServer()
    with tempfile.TemporaryDirectory() as data:
        server = FinalityServer(pathlib.Path(data), FAST)
        try:
            text = page_of(play_all(Contract(ROOT / "openapi.yaml"), server.start(), merchant_server))
            server.stop()
        finally:
            server.clean_up()
            merchant_server.stop()
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

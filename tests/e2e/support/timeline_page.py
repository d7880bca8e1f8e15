"""Renders docs/guide/what-happens-when.md and docs/guide/authorization-timelines.md from the recorded timelines of real
orders. A page lists all its scenarios, and shows the timelines of a few (`Page.shown`).

Run as a program (timeline_page.py FOLDER [--all]), it starts a server, runs every scenario and writes the pages to
FOLDER; with --all, the pages have the timelines of all scenarios.
"""

import argparse
import dataclasses
import pathlib
import re
import tempfile
import textwrap

import authorization_timelines
import scenario_timelines
from contract import Contract
from finality_server import ROOT, FinalityServer
from merchant_server import MerchantServer
from sandbox_client import net_paid
from scenario_timelines import AMOUNT, FAST, play_all, scenarios
from timeline_steps import Names, Teller, captures_of, money

# Rendering of sequence diagrams.

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


# Rendering of the table of steps.

def table(steps):
    lines = ["| actor | action | new state | ledger entries | webhook |", "|---|---|---|---|---|"]
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


# Rendering of the final states.

def out_of_pocket(played):
    by_currency = {} if played.trades else {played.order["currency"]: 0}
    for trade in played.trades:
        by_currency[trade["currency"]] = by_currency.get(trade["currency"], 0) + net_paid(trade)
    return " and ".join(money(amount, currency) for currency, amount in by_currency.items())


def ending(played):
    names, order = Names(played), played.order
    lines = [f"order `{order['state']}`, paid {money(order['paid_amount'], order['currency'])}, refunded "
             f"{money(order['refunded_amount'], order['currency'])}"]
    for payment in played.payments:
        lines.append(f"{names.of(payment['id'])} `{payment['state']}`{why(payment)}; {receipts_of(payment)}")
    for hold in played.authorizations:
        amounts = ", ".join(f"{name} {money(hold[f'{name}_amount'], hold['currency'])}"
                            for name in ("authorized", "captured", "released"))
        reason = f", `end_reason` `{hold['end_reason']}`" if "end_reason" in hold else ""
        lines.append(f"{names.of(hold['id'])} `{hold['state']}`{why(hold)}{reason}; {amounts}")
    for capture in captures_of(played):
        origin = "" if capture["origin"] == "merchant" else f" with `origin` `{capture['origin']}`"
        lines.append(f"{names.of(capture['id'])} of {money(capture['amount'], capture['currency'])}{origin} "
                     f"`{capture['state']}`{why(capture)}")
    for refund in played.refunds:
        tries = f" at attempt {refund['attempts']}" if refund["attempts"] > 1 else ""
        lines.append(f"{names.of(refund['id'])} of {money(refund['amount'], refund['currency'])} `{refund['state']}`"
                     f"{tries}{why(refund)}{came_back(refund)}")
    lines += [f"case `{case['kind']}`, `{case['state']}`; operators may decide "
              + " or ".join(f"`{each}`" for each in case["resolutions"]) for case in played.cases]
    held = "".join(f", and the channel holds {money(amount, currency)}" for amount, currency in played.held)
    lines += [f"**the payer's net payment is {out_of_pocket(played)}{held}**"]
    return "Final states:\n\n" + "\n".join(f"- {line}" for line in lines)


def why(row):
    return f" (`{row['failure']['code']}`)" if row["state"] == "failed" and "failure" in row else ""


def came_back(row):
    returned = row.get("returned_amount", 0)
    return f", of which the channel returned {money(returned, row['currency'])}" if returned else ""


def receipts_of(payment):
    receipts = [f"{money(each['amount'], each['currency'])} {each['state']}" for each in payment["receipts"]]
    return "receipts: " + ", ".join(receipts) if receipts else "no receipt"


def in_short(played):
    """Returns the columns of a row of the overview table: the final states, and the payer's net payment."""
    parts = [f"`{played.order['state']}`"]
    parts += [f"the authorization `{hold['state']}`" for hold in played.authorizations]
    parts += [f"the {refund['kind']} `{refund['state']}`" for refund in played.refunds]
    parts += [f"case `{case['kind']}`" for case in played.cases]
    return ", ".join(parts), out_of_pocket(played)


# Rendering of the page.

BEGINNING = f"""# What happens when

Made by `tests/e2e/operations/test_scenario_timelines.py` from real orders. Do not edit; run `make docs`.

What happens when the payer pays after the close? When the channel does not answer or contradicts itself? When a
notification is forged? This page lists how each order ends, and shows four timelines (`GET /v1/orders/{{id}}/timeline`)
with the final states on both sides. The payer's net payment, payments less refunds, comes from the sandbox's own ledger.

`make docs ARGS=timelines` records the timelines of all scenarios on your machine (40 s), with what the merchant has to
do and the commands to try each one: `build/timelines/what-happens-when.md`.

Three rules hold in every scenario. An order reaches exactly one final state. Money that no order accepts is refunded
automatically, or stays in suspense until two operators decide. The merchant receives each final result once.

Next: [Go-live checklist](go-live.md).

## Try it yourself

While `make demo` is running, run these commands in a second terminal:

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

For each scenario, use a new `merchant_order_no`, the scenario's name, and the fields and steps under “Try it” of its
timeline. The demo queries a channel after 2 s, the tests after 20 ms.

## How to read

A row of a table is one commit, or one request that a commit sends. *New state* lists the changed objects; all others keep
their state. A credit is positive. The table names the source of a report (notification, response
or query) only where it matters: which one arrives first is often a race, and the result is the same. A report that a
channel repeats is shown once, except where the repetition is the subject.

## Scenarios

| | at the channel | final states | the payer's net payment |
|---|---|---|---|
"""


AUTHORIZATIONS_BEGINNING = """# What happens when: authorizations

Made by `tests/e2e/operations/test_scenario_timelines.py` from real orders. Do not edit; run `make docs`.

What happens when a hold lapses? When the payer authorizes after the close? When an employee captures in the channel's
console? This page lists how orders with [authorization and capture](authorization.md) end, and shows two timelines,
like [What happens when](what-happens-when.md) does for payments. The payer's net payment, and what the channel still
holds, come from the sandbox's own ledger. `make docs ARGS=timelines` records the timelines of all scenarios on your
machine (40 s): `build/timelines/authorization-timelines.md`.

Two rules hold in every scenario. An amount that the order does not need is given back to the payer. Each capture is
booked once, also if the channel reports it late, twice, or without a request.

## Try it yourself

Use the commands of [Reserve an amount](authorization.md#reserve-an-amount): create an order with a new
`merchant_order_no` and the fields under “Try it”, then run the commands that follow. `$ORDER`, `$HOLD` and `$CAPTURE`
are the ids of the order, its authorization and its capture. `GET /v1/orders/$ORDER/timeline` returns the timeline. The
demo queries a channel after 2 s, the tests after 20 ms. [How to read](what-happens-when.md#how-to-read) explains the
tables.

## Scenarios

| | at the channel | final states | the payer's net payment |
|---|---|---|---|
"""


@dataclasses.dataclass(frozen=True)
class Page:
    path: pathlib.Path  # in the repository
    beginning: str
    stories: list
    shown: tuple       # names of the stories whose timelines the page shows


PAGES = [Page(scenario_timelines.PAGE, BEGINNING, scenario_timelines.STORIES,
              ("pays_after_close", "Two payments, both paid", "console_refund_partial", "request_lost")),
         Page(authorization_timelines.PAGE, AUTHORIZATIONS_BEGINNING, authorization_timelines.STORIES,
              ("Two captures", "lapses"))]


def text_of(page, played, shows_all=False):
    """Returns the text of the page. `played`: the results of its stories. `shows_all`: with the timelines of all
    stories, not only of those in `page.shown`."""
    said = scenarios()
    shown = {each.story.name for each in played if shows_all or each.story.name in page.shown}
    rows = [row_of(each, said, each.story.name in shown) for each in played]
    sections = "".join(section(each, said) for each in played if each.story.name in shown)
    return page.beginning + "\n".join(rows) + "\n" + sections


def row_of(played, said, is_shown):
    """Returns the row of the overview table. `is_shown`: the page has a section that the row links to."""
    story = played.story
    short, lost = in_short(played)
    name = f"[{story.name}](#{anchor(story.name)})" if is_shown else story.name
    scenario = f" (`{story.scenario}`)" if story.title and story.scenario not in story.title else ""
    return f"| {name}{scenario} | {story.what or said[story.scenario]} | {short} | {lost} |"


def moved(text, folder):
    """Returns the text of a page of docs/guide/ for a copy in `folder`: with its relative links changed."""
    up = "../" * len(folder.resolve().relative_to(ROOT).parts)
    return re.sub(r"\]\((?=[\w.-]+\.md)", f"]({up}docs/guide/", text)


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
    acts = "; ".join([f"`{payment}{fields}`", *(" ".join(act.__doc__.split()) for act in story.acts)])
    return f"Try it: {acts}."


def quoted(value):
    return f'"{value}"' if isinstance(value, str) else value


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="write the timelines of all scenarios")
    options = parser.parse_args()
    merchant_server = MerchantServer()
    with tempfile.TemporaryDirectory() as data:
        server = FinalityServer(pathlib.Path(data), FAST)
        try:
            server.start()
            contract = Contract(ROOT / "openapi.yaml")
            texts = {page.path.name: text_of(page, play_all(contract, server, merchant_server, page.stories), options.all)
                     for page in PAGES}
            server.stop()
        finally:
            server.clean_up()
            merchant_server.stop()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (options.folder / name).write_text(moved(text, options.folder) if options.all else text, encoding="utf-8")


if __name__ == "__main__":
    main()

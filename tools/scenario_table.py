#!/usr/bin/python3
"""Prints the scenarios of the sandbox as tables in Markdown, from the rows in sandbox/core/scenario.cpp.

scenario_table.py trades|authorizations
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE = (ROOT / "sandbox/core/scenario.cpp").read_text()
DEFAULT = re.search(r'kDefaultScenario = "(\w+)"', (ROOT / "sandbox/core/scenario.h").read_text())[1]
OF_AUTHORIZATIONS = re.compile(r"authoriz|capture|release|lapses|partly_released")
REACTIONS = dict(re.findall(r"constexpr PayerReaction (k\w+)(\{.*?\});", SOURCE))


def rows():
    """Yields (name, description, {step: reaction}) of each row. A reaction lists the fields that differ from those of a
    correct channel. A payer who pays after 100 ms (`kPays`) is omitted."""
    for row in re.findall(r"^    \{\.name = .*?\},?\n(?=    \{\.name|\};)", SOURCE, re.M | re.S):
        name = re.search(r'\.name = "(\w+)"', row)[1]
        description = re.search(r'\.description = "((?:[^"\\]|\\.)*)"', row)[1].replace('\\"', '"')
        fields = re.findall(r"^ +\.(\w+) = (k\w+|\{[^}]*\})", row, re.M)
        yield name, description, {step: reaction(REACTIONS.get(text, text)) for step, text in fields if text != "kPays"}


def reaction(text):
    """Returns the fields of an initializer: `{.act = Act::pay, .after = 2s}` becomes `act pay, after 2s`."""
    fields = re.findall(r"\.(\w+) = (?:\w+::)?(\w+)", text)
    return ", ".join(f"{name} {value}" for name, value in fields)


def main():
    wanted = sys.argv[1] == "authorizations"
    print("| name | behavior | row of the table |\n|---|---|---|")
    for name, description, steps in rows():
        if bool(OF_AUTHORIZATIONS.match(name)) == wanted:
            default = " (default)" if name == DEFAULT else ""
            row = " · ".join(f"`{step}: {text}`" for step, text in steps.items())
            print(f"| `{name}`{default} | {description} | {row} |")


if __name__ == "__main__":
    main()

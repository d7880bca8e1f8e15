"""Converts the program's transition tables, from `finality fsm show --format json`, to Promela.

The Promela code defines for each state machine M the symbols `M_<state>` and `M_on_<event>`, and the predicates
`M_is_final(state)` and, per effect, `M_due_<effect>(state)`. `put_M(current, posted)` models `apply_transition()` of
src/decide/record.h.
"""

import json
import re
import subprocess

CODES = {"CELL_TO": 255, "CELL_REFUSES": 256, "CELL_REVERSES": 512, "CELL_OPENS_CASE": 1024, "CELL_IS_IMPOSSIBLE": 2048,
         "CELL_RELEASES": 4096, "cell_moves": "(cell & CELL_TO)"}


def read_tables(binary, machines):
    shown = subprocess.run([binary, "fsm", "show", "--format", "json"], capture_output=True, text=True, check=True)
    tables = {table["machine"]: table for table in json.loads(shown.stdout)}
    return {name: tables[name] for name in machines}


def parse_cell(text):
    """Parses the text of a cell: `keep`, `refuse`, `impossible` or a target state, optionally followed by `+reverse`,
    `+case` and `+release`."""
    what, *actions = text.split("+")
    kind = what if what in ("keep", "refuse", "impossible") else "move"
    return {"cell": kind, "actions": actions, **({"to": what} if kind == "move" else {})}


def change_cell(tables, change):
    """Replaces one cell in `tables`. `change` is machine.state.event=cell, such as
    `payment.closed.paid_unexpectedly=keep`."""
    machine, state, event, text = re.fullmatch(r"(\w+)\.(\w+)\.(\w+)=(.+)", change).groups()
    cell = next(cell for cell in tables[machine]["cells"] if (cell["state"], cell["event"]) == (state, event))
    new = {"state": state, "event": event, **parse_cell(text)}
    if new == cell:
        raise ValueError(f"{change}: the table has this cell already")
    cell.clear()
    cell.update(new)


def effects_of(tables):
    return sorted({state["due_effect"] for table in tables.values() for state in table["states"]} - {None})


def set_of(states):
    return " || ".join(f"(s) == {state}" for state in states) or "false"


def predicates(table, effects):
    name = table["machine"]
    final = [f"{name}_{state['name']}" for state in table["states"] if state["final"]]
    yield f"#define {name}_is_final(s) ({set_of(final)})"
    for effect in effects:
        due = [f"{name}_{state['name']}" for state in table["states"] if state["due_effect"] == effect]
        yield f"#define {name}_due_{effect}(s) ({set_of(due)})"
    yield f"#define {name}_due_nothing(s) (!({' || '.join(f'{name}_due_{effect}(s)' for effect in effects)}))"


def code_of(cell, name):
    """Returns the Promela expression of a cell: the target state (0 for `keep`, a flag for `refuse` and `impossible`)
    plus the flags of its actions."""
    codes = {"move": f"{name}_{cell.get('to')}", "keep": "0", "refuse": "CELL_REFUSES",
             "impossible": "CELL_IS_IMPOSSIBLE"}
    actions = {"reverse": "CELL_REVERSES", "case": "CELL_OPENS_CASE", "release": "CELL_RELEASES"}
    return " + ".join([codes[cell["cell"]], *(actions[action] for action in cell["actions"])])


def table_of(table):
    name, events = table["machine"], table["events"]
    first = f"{name}_{table['states'][0]['name']}", f"{name}_on_{events[0]}"
    yield f"hidden short {name}_cells[{len(table['cells'])}];"
    yield f"hidden byte {name}_met[{len(table['cells'])}];"
    yield f"#define {name}_place(s, e) ({first[0]} - (s)) * {len(events)} + ({first[1]} - (e))"
    yield f"inline fill_{name}_table() {{"
    for cell in table["cells"]:
        place = f"{name}_place({name}_{cell['state']}, {name}_on_{cell['event']})"
        yield f"  {name}_cells[{place}] = {code_of(cell, name)};"
    yield "  skip"
    yield "}"
    yield f"inline put_{name}(current, posted) {{"
    yield f"  {name}_met[{name}_place(current, posted)] = 1;"
    yield f"  cell = {name}_cells[{name}_place(current, posted)];"
    yield "  assert(!(cell & CELL_IS_IMPOSSIBLE));"
    yield "  current = (cell & CELL_TO -> cell & CELL_TO : current)"
    yield "}"


def report(tables):
    """Yields the C code that makes pan print all visited cells at the end of a search without errors."""
    yield "#ifdef COVERAGE"
    yield "c_decl {"
    for name, table in tables.items():
        yield f"  extern unsigned char {name}_met[{len(table['cells'])}];"
    yield "  static void print_met(const char *name, const unsigned char *met, int cells) {"
    yield "    for (int i = 0; i < cells; i++)"
    yield '      if (met[i]) printf("met %s %d\\n", name, i);'
    yield "  }"
    yield "  static void print_all_met(void) {"
    for name, table in tables.items():
        yield f'    print_met("{name}", {name}_met, {len(table["cells"])});'
    yield "  }"
    yield "}"
    yield "#define report_at_the_end c_code { atexit(print_all_met); }"
    yield "#else"
    yield "#define report_at_the_end skip"
    yield "#endif"


def cells_met(tables, output):
    """Parses pan's output. Yields each visited cell as `machine.state.event`."""
    for name, place in re.findall(r"^met (\w+) (\d+)$", output, re.M):
        cell = tables[name]["cells"][int(place)]
        yield f"{name}.{cell['state']}.{cell['event']}"


def to_promela(tables):
    effects = effects_of(tables)
    fill = " ".join(f"fill_{name}_table();" for name in tables)
    lines = ["/* Made by tables_to_promela.py from `finality fsm show --format json`. */"]
    for name, table in tables.items():
        states = [f"{name}_{state['name']}" for state in table["states"]]
        events = [f"{name}_on_{event}" for event in table["events"]]
        lines.append(f"mtype = {{ {', '.join(states + events)} }}")
    lines += [f"#define {name} {value}" for name, value in CODES.items()]
    lines.append("hidden short cell;  /* the last cell met */")
    for table in tables.values():
        lines += [*predicates(table, effects), *table_of(table)]
    lines.append(f"inline fill_tables() {{ {fill} skip }}")
    lines += report(tables)
    return "\n".join(lines) + "\n"

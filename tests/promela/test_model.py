"""Model checking with spin. For each model, spin searches the complete state space of every configuration (“world”)
without an error, and finds an error in every broken variant.

Needs Debian's `spin` and clang-19. FINALITY_BINARY is the path of the program whose transition tables are checked.
README.md describes the models. The pytest option `-s` prints the sizes of the state spaces and the error trails of the
broken variants.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

import authorization_worlds
import worlds
from tables_to_promela import cells_met, change_cell, read_tables, to_promela

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BINARY = pathlib.Path(os.environ.get("FINALITY_BINARY", ROOT / "build/release/finality")).resolve()
COMPILER = "clang-19"
MEMORY_MB = 3500
DEPTH = 100_000
TRAIL_DEPTHS = (20, 25, 30, 40, 60, 120)  # increasing search depths; the first error has a short trail
CALM_LINES_MAX = 8
# The name of the Promela file, and the module with its worlds.
MODELS = {"finality": worlds, "authorization": authorization_worlds}


def of_each_model(kind):
    """Parametrizes a test by `model` and by `name`, a key of the dictionary `kind` of the model's module."""
    return pytest.mark.parametrize(
        ("model", "name"), [(model, name) for model, module in MODELS.items() for name in getattr(module, kind)])


@pytest.fixture
def tables(model):
    return read_tables(BINARY, MODELS[model].MACHINES)


@pytest.fixture(scope="session")
def met():
    """Visited cells by model and name of the world; the tests of the worlds fill it."""
    return {model: {} for model in MODELS}


def run(command, directory):
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
    return done.stdout


def defines(world):
    return [f"-D{name}={value}" for name, value in world.items()]


def spin(directory, model, world, *options):
    return run(["spin", f"-P{COMPILER} -E -x c", *defines(world), *options, f"{model}.pml"], directory)


def make_search(directory, model, tables, world, optimize):
    """Generates and compiles `pan`, the program that searches the state space of this world with these tables."""
    for source in (f"{model}.pml", "engine.pml"):
        shutil.copy(HERE / source, directory)
    (directory / "tables.pml").write_text(to_promela(tables))
    spin(directory, model, world, "-a")
    options = [optimize, "-w", "-DSAFETY", "-DNOREDUCE", f"-DMEMLIM={MEMORY_MB}"]
    run([COMPILER, *options, "-o", "pan", "pan.c"], directory)


def number_before(output, what):
    return int(re.search(rf"(\d+) {what}", output)[1])


def number_after(output, what):
    return int(re.search(rf"{what}(\d+)", output)[1])


def is_exhaustive(output):
    """Returns whether pan searched the complete state space: it reached no limit of depth or memory, and stored states
    without hash compaction."""
    cut_short = ("Search not completed", "max search depth too small", "MEMLIM", "Bit statespace", "Hash-Compact",
                 "hash-compact", "out of memory")
    return "Full statespace search" in output and not any(words in output for words in cut_short)


@of_each_model("WORLDS")
def test_every_state_of_a_world_is_right(model, name, tables, met, tmp_path):
    make_search(tmp_path, model, tables, {**MODELS[model].WORLDS[name], "COVERAGE": 1}, "-O2")
    output = run(["./pan", f"-m{DEPTH}"], tmp_path)
    assert number_after(output, "errors: ") == 0, output
    assert is_exhaustive(output), output
    met[model][name] = set(cells_met(tables, output))
    seconds = float(re.search(r"elapsed time ([\d.]+)", output)[1])
    memory = float(re.search(r"([\d.]+)\ttotal actual memory", output)[1])
    states, transitions = number_before(output, "states, stored"), number_before(output, "transitions")
    print(f"\n{name}: {states:,} states, {transitions:,} transitions, {seconds:.0f} s, {memory:.0f} MB")


@pytest.mark.parametrize("model", MODELS)
def test_every_cell_is_met_or_has_a_reason(model, tables, met):
    """Every possible cell of the tables is visited in a world of the model, or UNMET of the worlds' module gives the
    reason why none visits it."""
    if set(met[model]) != set(MODELS[model].WORLDS):
        pytest.skip("not all worlds were searched in this run")
    in_some = set().union(*met[model].values())
    cells = {f"{name}.{cell['state']}.{cell['event']}" for name, table in tables.items() for cell in table["cells"]
             if cell["cell"] != "impossible"}
    print(f"\n{len(in_some)} of {len(cells)} cells met")
    argued = {f"{machine}.{state}.{event}" for _, machine, events in MODELS[model].UNMET
              for event, states in events.items() for state in states.split()}
    unmet = cells - in_some
    assert sorted(unmet - argued) == [], "met in no world, and UNMET has no reason"
    assert sorted(argued - unmet) == [], "met, but UNMET lists them"


def first_error(directory):
    for depth in TRAIL_DEPTHS:
        output = run(["./pan", f"-m{depth}"], directory)
        if number_after(output, "errors: ") > 0:
            return output
    return None


def trail_of(directory, model, world):
    """Returns the error trail as text: the steps that the model printed, and the assertion that failed."""
    output = spin(directory, model, world, "-t", "-T", "-B")
    lines = output.split("spin: trail ends")[0].splitlines()
    story = [re.sub(r",? (evidence|payment \d) 0\b", "", line.strip()) for line in lines]
    steps = [line for line in story if re.match(r"(engine|channel|payer|clock|crash|calm)", line)]
    calm = next((place for place, line in enumerate(steps) if line.startswith("calm")), len(steps))
    shown = steps[:calm + CALM_LINES_MAX] + (["…", steps[-1]] if len(steps) > calm + CALM_LINES_MAX else [])
    rule = next((line for line in story if line.startswith("spin: text of failed assertion")), "")
    return "\n".join("  " + line for line in [*shown, rule])


@of_each_model("BROKEN")
def test_each_broken_variant_fails(model, name, tables, tmp_path):
    broken = MODELS[model].BROKEN[name]
    if "cell" in broken:
        change_cell(tables, broken["cell"])
    make_search(tmp_path, model, tables, broken["world"], "-O0")  # -O0: optimizing would take longer than it saves
    assert first_error(tmp_path), "no error was found"
    trail = trail_of(tmp_path, model, broken["world"])
    assert "text of failed assertion" in trail, trail
    print(f"\n{name}:\n{trail}")

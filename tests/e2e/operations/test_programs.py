"""The programs beside each other: `finality` runs `finality-lab`, and tools/install-program installs both."""

import shutil
import subprocess

import pytest

from finality_server import BINARY, ROOT


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace", timeout=60)


@pytest.mark.parametrize("command", ["simulate", "bench", "history"])
def test_without_the_second_program_the_error_names_the_command_that_builds_it(tmp_path, command):
    alone = shutil.copy(BINARY, tmp_path / "finality")
    done = run(alone, command, "--help")
    assert done.returncode == 1
    assert f"`finality {command}` needs the program {tmp_path}/finality-lab" in done.stderr and "make lab" in done.stderr


def test_all_arguments_and_the_exit_code_belong_to_the_second_program():
    assert "Usage: finality simulate [OPTIONS]" in run(BINARY, "simulate", "--help").stdout
    assert run(BINARY, "simulate", "--seeds", "1..2", "--payments", "5").stdout.endswith("Every invariant held.\n")
    done = run(BINARY, "simulate", "--seeds", "nonsense")
    assert done.returncode == 1 and "'nonsense' is not a range of seeds" in done.stderr
    assert run(BINARY, "history").returncode == 2


def sections(program):
    return run("readelf", "--sections", "--wide", program).stdout


def test_an_installed_program_is_stripped_and_has_its_symbols_beside_it(tmp_path):
    done = run(ROOT / "tools/install-program", "/usr", tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("finality", "finality-lab"):
        program, symbols = tmp_path / "usr/bin" / name, tmp_path / "usr/bin/.debug" / f"{name}.debug"
        assert ".debug_info" not in sections(program) and ".symtab" not in sections(program)
        assert f"{name}.debug" in run("readelf", "--string-dump=.gnu_debuglink", program).stdout
        assert ".debug_info" in sections(symbols) and ".symtab" in sections(symbols)
    assert run(tmp_path / "usr/bin/finality", "--version").returncode == 0
    assert run(tmp_path / "usr/bin/finality", "simulate", "--seeds", "1", "--payments", "5").returncode == 0


def test_an_installation_without_a_prefix_prints_the_usage():
    done = run(ROOT / "tools/install-program")
    assert done.returncode == 2 and "tools/install-program PREFIX" in done.stderr

"""Tests of tools/compile: checkouts share cached objects, and a cached object is used only for the same sources.

Each checkout is deleted before the next one builds. Otherwise a cached precompiled header that names the headers of
the first checkout would seem to work.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Small sources of two groups of precompiled headers, and a test with another variant.
OBJECTS = ["CMakeFiles/base.dir/src/base/html.cpp.o", "CMakeFiles/base.dir/src/base/printable.cpp.o",
           "CMakeFiles/ledger.dir/src/ledger/fee.cpp.o", "CMakeFiles/fsm_test.dir/src/fsm/view_test.cpp.o"]


def environment_with(cache):
    return {name: value for name, value in os.environ.items() if not name.startswith("CCACHE_")} | {"CCACHE_DIR": str(cache)}


class Checkout:
    """A copy of the checkout's sources in a folder, with its own build directory and a shared cache."""

    def __init__(self, place, cache):
        self.place = place
        self._environment = environment_with(cache)
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                               capture_output=True, text=True, check=True).stdout.split("\0")
        for name in names:
            if (ROOT / name).is_file() and not name.startswith("docs/"):
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, place / name)

    def run(self, *command):
        done = subprocess.run(command, cwd=self.place, env=self._environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def build(self):
        """Builds the objects. Returns the numbers of objects that came from the cache and that were compiled."""
        self.run("ccache", "--zero-stats")
        self.run("cmake", "--preset", "test")
        self.run("ninja", "-C", "build/release", *OBJECTS)
        counts = dict(re.findall(r"^(\w+)\s+(\d+)$", self.run("ccache", "--print-stats"), re.M))
        return int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"]), int(counts["cache_miss"])

    def sums(self):
        """Returns the content of the files that identify precompiled headers to ccache."""
        return {path.parent.name: path.read_text() for path in self.place.glob("build/release/CMakeFiles/*/*.sum")}

    def delete(self):
        shutil.rmtree(self.place)


class Filled:
    """A cache that a deleted checkout has filled, and the sums of that checkout."""

    def __init__(self, folder):
        self.cache = folder / "cache"
        first = Checkout(folder / "sources", self.cache)
        hits, misses = first.build()
        assert hits == 0 and misses >= len(OBJECTS)
        self.sums = first.sums()
        first.delete()


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    return Filled(tmp_path_factory.mktemp("filled"))


def test_another_checkout_compiles_nothing_and_its_objects_name_no_folder(filled, tmp_path):
    other = Checkout(tmp_path / "another folder", filled.cache)
    hits, misses = other.build()
    assert misses == 0 and hits >= len(OBJECTS)
    assert len(filled.sums) >= 2 and other.sums() == filled.sums
    for name in OBJECTS:
        content = (other.place / "build/release" / name).read_bytes()
        assert b"sources/src" not in content and str(tmp_path).encode() not in content, name


def test_a_changed_precompiled_header_invalidates_what_uses_it(filled, tmp_path):
    changed = Checkout(tmp_path / "changed", filled.cache)
    header = changed.place / "src/base/limits.h"
    header.write_text(header.read_text() + "// a change\n")
    hits, misses = changed.build()
    assert hits == 0 and misses >= len(OBJECTS)
    assert all(changed.sums()[name] != one for name, one in filled.sums.items())


def test_a_changed_header_invalidates_only_the_sources_that_include_it(filled, tmp_path):
    changed = Checkout(tmp_path / "changed", filled.cache)
    header = changed.place / "src/base/html.h"
    header.write_text(header.read_text() + "// a change\n")
    _, misses = changed.build()
    assert misses == 1
    assert changed.sums() == filled.sums


# The launcher with a compiler that only copies its arguments and the header x.h to its output.
COMPILER = """#!/usr/bin/python3
import json, pathlib, sys, time
arguments = sys.argv[1:]
if "--version" in arguments:
    print("clang version 19.0.0")
    raise SystemExit
output = pathlib.Path(arguments[arguments.index("-o") + 1])
header = pathlib.Path("../../x.h")
output.write_text(json.dumps({"arguments": arguments, "header": header.read_text()}))
pathlib.Path(arguments[arguments.index("-MF") + 1]).write_text(f"{output}: ../../x.cpp ../../x.h\\n")
if pathlib.Path("edit").exists():  # the header is saved during the compilation
    time.sleep(1.1)
    header.write_text(pathlib.Path("edit").read_text())
    pathlib.Path("edit").unlink()
"""


class Launcher:
    def __init__(self, place):
        self.root = place / "app"
        self.build = self.root / "build/release"
        self.build.mkdir(parents=True)
        (self.root / "tools").mkdir()
        shutil.copy(ROOT / "tools/compile", self.root / "tools/compile")
        self._compiler = place / "clang++"
        self._compiler.write_text(COMPILER)
        self._compiler.chmod(0o755)
        self._environment = environment_with(place / "cache")
        for name in ("x.cpp", "x.h"):
            (self.root / name).write_text("old\n")
            os.utime(self.root / name, (1, 1))

    def compile(self, output, *arguments):
        """Returns what the compiler wrote: its arguments, and the header that it read."""
        (self.build / output).unlink(missing_ok=True)
        done = subprocess.run([self.root / "tools/compile", self._compiler, *arguments, "-MD", "-MF", f"{output}.d", "-o", output,
                               "-c", self.root / "x.cpp"], cwd=self.build, env=self._environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads((self.build / output).read_text())


@pytest.fixture
def launcher(tmp_path):
    return Launcher(tmp_path)


def test_only_paths_of_the_checkout_become_relative(launcher):
    root = launcher.root
    made = launcher.compile("x.pch", f"-I{root}/src", "-isystem", "/usr/include/app/", "-Xclang", f"{root}/build/release/a.hxx",
                            f"-DPLACE={root}/x", "-Iapp/x")
    assert made["arguments"][:-8] == ["-I../../src", "-isystem", "/usr/include/app/", "-Xclang", "a.hxx", f"-DPLACE={root}/x", "-Iapp/x"]
    assert made["arguments"][-3:] == ["-c", "../../x.cpp", f"-ffile-prefix-map={root}/="]


def test_a_header_that_changes_during_a_compilation_leaves_no_wrong_object(launcher):
    (launcher.build / "edit").write_text("new\n")
    assert launcher.compile("x.o")["header"] == "old\n"
    assert launcher.compile("x.o")["header"] == "new\n"


def test_a_precompiled_header_that_is_older_than_its_headers_has_no_sum(launcher):
    launcher.compile("x.pch")
    assert (launcher.build / "x.pch.sum").exists()
    (launcher.build / "edit").write_text("new\n")
    launcher.compile("x.pch")
    assert not (launcher.build / "x.pch.sum").exists()


def test_a_sum_depends_on_flags_and_on_which_header_has_which_line(launcher):
    def sum_of(*flags):
        launcher.compile("x.pch", *flags)
        return (launcher.build / "x.pch.sum").read_text()

    def write(name, text):
        (launcher.root / name).write_text(text)
        os.utime(launcher.root / name, (1, 1))

    first = sum_of()
    assert sum_of() == first
    assert sum_of("-O3") != first
    write("x.cpp", "old\nold\n")
    write("x.h", "")
    assert sum_of() != first

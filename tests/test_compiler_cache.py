"""Tests of tools/compile: checkouts share cached objects, and a cached object is used only for the same sources.

Each checkout is deleted before the next one builds. Otherwise a cached precompiled header that names the headers of
the first checkout would seem to work.
"""

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


class Checkout:
    """A copy of the checkout's sources in a folder, with its own build directory and a shared cache."""

    def __init__(self, place, cache):
        self.place = place
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("CCACHE_")}
        self._environment["CCACHE_DIR"] = str(cache)
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
        if not (self.place / "build").exists():
            self.run("cmake", "--preset", "test")
        self.run("ninja", "-C", "build/release", *OBJECTS)
        counts = dict(re.findall(r"^(\w+)\s+(\d+)$", self.run("ccache", "--print-stats"), re.M))
        return int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"]), int(counts["cache_miss"])

    def delete(self):
        shutil.rmtree(self.place)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache that a deleted checkout has filled."""
    cache = tmp_path_factory.mktemp("cache")
    first = Checkout(tmp_path_factory.mktemp("first") / "sources", cache)
    hits, misses = first.build()
    assert hits == 0 and misses >= len(OBJECTS)
    first.delete()
    return cache


def test_another_checkout_compiles_nothing_and_its_objects_name_no_folder(cache, tmp_path):
    other = Checkout(tmp_path / "other", cache)
    hits, misses = other.build()
    assert misses == 0 and hits >= len(OBJECTS)
    for name in OBJECTS:
        content = (other.place / "build/release" / name).read_bytes()
        assert b"sources/src" not in content and str(tmp_path).encode() not in content, name


def test_a_changed_precompiled_header_invalidates_what_uses_it(cache, tmp_path):
    changed = Checkout(tmp_path / "changed", cache)
    header = changed.place / "src/base/limits.h"
    header.write_text(header.read_text() + "// a change\n")
    hits, misses = changed.build()
    assert hits == 0 and misses >= len(OBJECTS)


def test_a_changed_header_invalidates_only_the_sources_that_include_it(cache, tmp_path):
    changed = Checkout(tmp_path / "changed", cache)
    header = changed.place / "src/base/html.h"
    header.write_text(header.read_text() + "// a change\n")
    hits, misses = changed.build()
    assert misses == 1

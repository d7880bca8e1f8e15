"""Hooks and fixtures of the load tests, which start the real program with the modules of tests/e2e/support."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e" / "support")]

from program_hooks import contract, pytest_configure, pytest_runtest_makereport  # noqa: F401

"""Fixtures of the load tests, which start the real program with the modules of tests/e2e/support."""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e" / "support")]

from contract import Contract
from finality_server import BINARY, ROOT, ServerProcess


def pytest_configure(config):
    if not BINARY.exists():
        raise pytest.UsageError(f"{BINARY} does not exist: build it, or set FINALITY_BINARY")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        for server in ServerProcess.running:
            report.sections.append((f"log of {server.data.name}", server.log_tail()))


@pytest.fixture(scope="session")
def contract():
    return Contract(ROOT / "openapi.yaml")

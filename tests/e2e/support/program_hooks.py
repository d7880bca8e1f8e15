"""Hooks and fixtures of every test run that starts the program: it must be built, and a failed test shows the logs of the
servers that run. A conftest.py imports them."""

import pytest

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

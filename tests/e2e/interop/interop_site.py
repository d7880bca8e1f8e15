"""Fixtures of the interoperability tests: a server with a sandbox, a proxy to the sandbox, and a capture server for the
sandbox's notifications. A module that imports the fixture `installed` runs it automatically."""

import contextlib
import datetime
import uuid

import pytest

from recording_proxy import CaptureServer, RecordingProxy
from conftest import FAST
from sandbox_client import SandboxClient
from interop_sdks import SdkProcess, install
from wait import until

AMOUNT = 1999
YUAN = "19.99"
SUBJECT = "茶叶 两盒, 100%"
CHINA = datetime.timezone(datetime.timedelta(hours=8))
MODES = ["public key", "certificates"]


@pytest.fixture(scope="module", autouse=True)
def installed():
    install()


@pytest.fixture(scope="module")
def module_server(start_server):
    return start_server("interop", FAST)


@pytest.fixture(scope="module")
def sandbox(module_server):
    return SandboxClient(module_server.demo["sandbox_url"])


@pytest.fixture(scope="module")
def way(module_server):
    """Recording proxy between the SDKs and the sandbox. Tests can alter its responses."""
    server = RecordingProxy(module_server.demo["sandbox_url"])
    yield server
    server.stop()


@pytest.fixture(scope="module")
def capture():
    """Server that records the sandbox's notifications."""
    server = CaptureServer()
    yield server
    server.stop()


@contextlib.contextmanager
def altered(way, alter):
    way.alter = alter
    try:
        yield
    finally:
        way.alter = None


@contextlib.contextmanager
def sdk_process(script, config=None):
    made = SdkProcess(script, config)
    try:
        yield made
    finally:
        made.stop()


def fresh(name):
    return f"{name}{uuid.uuid4().hex[:20]}"


def code_at(address):
    """Returns a payment whose action is a QR code with this URL, in the form that payers_page.py reads."""
    return {"action": {"type": "qr_code", "code": address}}


def today():
    return datetime.datetime.now(CHINA).strftime("%Y-%m-%d")


def replaced(body, old, new):
    assert old in body, body
    return body.replace(old, new)


def other_signature(text):
    """Returns a wrong signature: valid base64 of the same length whose first character differs."""
    return ("B" if text[0] == "A" else "A") + text[1:]


def check_one_of_four_is_accepted(capture, is_about_it, is_accepted):
    """Checks that exactly one of four notifications is accepted: the scenario sends three forged ones and a genuine
    one."""

    def all_four():
        captured = [one for one in capture.captured() if is_about_it(one)]
        return captured if len(captured) == 4 else None

    captured = until(all_four, "four notifications have arrived")
    assert sorted(is_accepted(one) for one in captured) == [False, False, False, True]

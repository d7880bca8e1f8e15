"""Runs the commands of README.md, of docs/guide/first-payment.md and of "Try it" in docs/guide/reconciliation.md as they
are written, in sequence on a new demo. The Chinese pages have the same commands (tests/test_docs.py)."""

import os
import re
import subprocess

import pytest

from api import Api
from finality_server import BINARY, ROOT
from store_place import SERVER
from wait import until

pytestmark = pytest.mark.skipif(SERVER is not None, reason="the pages are about the embedded store")

PAGES = ["README.md", "docs/guide/first-payment.md", "docs/guide/reconciliation.md"]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
END = "--- end of the block"


def blocks():
    """Returns the shell blocks of the pages, without those that build the program."""
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in PAGES]
    texts[-1] = texts[-1].partition("## Try it\n")[2]
    return [body for text in texts for kind, body in FENCE.findall(text) if kind == "sh" and not body.startswith("make ")]


@pytest.fixture(scope="module")
def demo(start_server):
    server = start_server("quick-start")
    yield server
    server.stop()
    assert server.verify()["checked"]


@pytest.fixture(scope="module")
def folder(demo, tmp_path_factory):
    """A folder like a clone in which `make demo` runs."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / "demo-data").symlink_to(demo.data)
    (folder / "build/release").mkdir(parents=True)
    (folder / "build/release/finality").symlink_to(BINARY)
    return folder


@pytest.fixture(scope="module")
def listener(folder):
    """The receiver that the reader starts in a second terminal, on a free port. Returns its URL, and its log."""
    page = (ROOT / PAGES[0]).read_text(encoding="utf-8")
    assert "build/release/finality listen\n" in page
    log = folder / "listen.log"
    with log.open("wb") as output:
        process = subprocess.Popen(["build/release/finality", "listen", "--port", "0"], cwd=folder, stdout=output,
                                   stderr=subprocess.STDOUT)
    try:
        found = until(lambda: re.search(r"http://127\.0\.0\.1:\d+", log.read_text()), "the receiver is ready")
        yield found[0], log
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def outputs(demo, folder, listener):
    """Runs all blocks in one shell, and returns the output of each block by a line of its commands."""
    script = "".join(f"{commands}\necho\necho '{END}'\n" for commands in blocks())
    for shown, real in [("http://127.0.0.1:8080", demo.demo["base_url"]), ("http://127.0.0.1:8090", demo.demo["sandbox_url"]),
                        ("http://127.0.0.1:8070", listener[0])]:
        assert shown in script, f"no command uses {shown}"
        script = script.replace(shown, real)
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, f"{done.stderr}\n{done.stdout}"
    return list(zip(blocks(), done.stdout.split(END + "\n")))


def output_of(outputs, words):
    [output] = [output for commands, output in outputs if words in commands]
    return output


def test_the_order_of_the_readme_is_created(outputs):
    output = output_of(outputs, "Idempotency-Key: first-1")
    assert "HTTP/1.1 201" in output and '"checkout_url"' in output


def test_a_manual_payment_succeeds_and_the_timeline_shows_its_entries(outputs):
    assert '"state":"succeeded"' in output_of(outputs, "merchant_order_no=tea-2")
    assert "merchant_payable +80.00 CNY" in output_of(outputs, "/timeline")


def test_the_receiver_prints_the_webhook(outputs, listener):
    until(lambda: "order.succeeded" in listener[1].read_text(), "the webhook has arrived")
    assert "signature valid" in listener[1].read_text()


def test_the_receiver_accepts_signatures_after_the_clock_was_moved(contract, demo, outputs, listener):
    """A receiver compares the timestamp of the signature with its own clock (docs/guide/webhooks.md)."""
    api = Api(contract, demo.demo["base_url"], demo.demo["secret_key"])
    api.create_order(notify_url=listener[0], merchant_order_no="after-the-jump",
                     payment={"channel": "sandbox", "scenario": "pays"})
    until(lambda: "after-the-jump" in listener[1].read_text(), "the webhook has arrived")
    assert "invalid" not in listener[1].read_text()


def test_a_refund_above_the_rest_is_refused(outputs):
    first, second, *_ = output_of(outputs, "post refunds").strip().splitlines()
    assert '"state":"succeeded"' in first
    assert '"code":"refund_exceeds_paid"' in second and "The refundable amount is 50.00 CNY." in second


def test_the_second_payment_of_an_order_goes_back(outputs):
    assert '"kind":"reversal"' in output_of(outputs, "/payments")


def test_a_close_and_the_clock_close_unpaid_orders(outputs):
    assert '"close_requested":true' in output_of(outputs, "/close")
    closed = output_of(outputs, "orders?state=closed")
    assert '"merchant_order_no":"tea-5"' in closed and '"closed_reason":"expired"' in closed


def test_a_day_with_two_differences_is_not_closed(outputs):
    day = output_of(outputs, "differences list")
    assert re.search(r"missing_at_channel +carried", day) and re.search(r"amount_mismatch +open", day)
    assert "CNY  differences" in day and day.endswith("not closed\n\n")


def test_the_withdrawal_is_found_in_the_file_of_the_bank(outputs):
    day = output_of(outputs, "statements import bank.xml")
    assert "version 1, matched" in day and "CNY  balanced" in day


def test_the_audit_finds_no_violation(outputs):
    assert "Every invariant holds." in output_of(outputs, "finality verify")

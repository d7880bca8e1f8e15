"""The server of the soak, its writers, and the faults: each fault function causes one and checks the server."""

import datetime
import random
import resource
import struct
import subprocess
import threading
import time

import requests

from api import FINAL, order_body
from finality_server import ConfiguredServer
from patient_client import PatientClient
from wait import until

WRITERS = 4
WRITE_EVERY_S = 0.5
SAMPLE = 50           # acknowledged orders that are read after each fault
SOON_S = 15.0         # a fault shows, and is over, within this time
JUMP_S = 3600
JUMP_LASTS_S = 0.3
CLOCK_ERROR_S = 60.0  # of the creation time of an order after the jump
HOST = {"http": None}  # requests uses no proxy


class SoakServer(ConfiguredServer):
    """A server that logs through a pipe, as under a supervisor, and whose files can be prevented from growing."""

    def __init__(self, data, settings="", **options):
        super().__init__(data, settings, **options)
        # A write above the limit of the size of files fails as on a full disk, instead of ending the process.
        self.wrapper = ["env", "--ignore-signal=XFSZ"]
        self._log_reader = None

    def _open_log(self):
        with self.log.open("ab") as log:
            self._log_reader = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=log)
        return self._log_reader.stdin

    def lose_log_reader(self):
        self._log_reader.kill()
        self._log_reader.wait()

    def clean_up(self):
        super().clean_up()
        if self._log_reader is not None:
            self._log_reader.kill()
            self._log_reader.wait()

    def is_alive(self):
        return self._process is not None and self._process.poll() is None

    def set_disk_full(self, is_full):
        """While the disk is full, no file can be written, not even where it has space."""
        _, most = resource.prlimit(self.process_id, resource.RLIMIT_FSIZE)
        resource.prlimit(self.process_id, resource.RLIMIT_FSIZE, (0 if is_full else most, most))

    def move_clock(self, by_s):
        with self.clock_file.open("r+b") as clock:
            [offset_ms] = struct.unpack("<q", clock.read(8))
            clock.seek(0)
            clock.write(struct.pack("<q", offset_ms + 1000 * by_s))

    def readiness(self):
        return requests.get(self.base_url + "/readyz", timeout=10, proxies=HOST).status_code


class Writers:
    """Clients that create orders and repeat unanswered requests. Use as a context manager."""

    def __init__(self, api):
        self.api = api
        self.orders = []    # acknowledged orders, as in the responses
        self.problems = []  # reasons of writers that gave up
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._write) for _ in range(WRITERS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def wait_for_more(self, count=10):
        """Waits until further orders are acknowledged."""
        wanted = len(self.orders) + count
        until(lambda: len(self.orders) >= wanted or self.problems, "orders are acknowledged", 2 * SOON_S)

    def check_sample(self):
        for order in [*self.orders[-SAMPLE:], *random.sample(self.orders, min(SAMPLE, len(self.orders)))]:
            self.check(order)

    def check(self, order):
        """Checks that an acknowledged order exists. Returns it."""
        found = self.api.order(order["id"])
        for name in ["merchant_order_no", "amount", "created_at"]:
            assert found[name] == order[name], (order, found)
        assert order["state"] not in FINAL or found["state"] == order["state"], (order, found)
        return found

    def check_all(self):
        """Checks that every acknowledged order exists and becomes final."""
        for order in self.orders:
            until(lambda order=order: self.check(order)["state"] in FINAL, f"{order['id']} is final", 4 * SOON_S)

    def _write(self):
        client = PatientClient(self.api)
        while not self._ended.wait(WRITE_EVERY_S):
            try:
                payment = {"channel": "sandbox", "scenario": "pays"}
                self.orders.append(client.post("/v1/orders", order_body(amount=1999, payment=payment)))
            except Exception as error:  # the main thread reports every reason
                self.problems.append(repr(error))
                return


# ---- Faults

def fill_disk(server, writers):
    """Writes are refused, reads are served, and nothing has to be restarted afterwards."""
    known = writers.orders[-1]
    server.set_disk_full(True)
    try:
        def is_refused():
            response = writers.api.request("POST", "/v1/orders", json=order_body(amount=1))
            return response.status_code == 503 and response.json()["code"] == "storage_write_error"

        until(is_refused, "a write is refused", SOON_S)
        until(lambda: server.readiness() == 503, "readiness reports the full disk", SOON_S)
        writers.check(known)
    finally:
        if server.is_alive():
            server.set_disk_full(False)
    until(lambda: server.readiness() == 200, "the server is ready again", SOON_S)


def lose_log_reader(server, writers):
    server.lose_log_reader()
    writers.wait_for_more()
    assert server.is_alive(), "the server ended with its log reader"


def jump_clock(server, writers):
    """Orders get the right time, and payments proceed, after the clock was ahead for a moment."""
    server.move_clock(JUMP_S)
    time.sleep(JUMP_LASTS_S)
    server.move_clock(-JUMP_S)
    order = PatientClient(writers.api).post("/v1/orders", order_body(
        amount=1999, payment={"channel": "sandbox", "scenario": "pays"}))
    error_s = datetime.datetime.fromisoformat(order["created_at"]).timestamp() - time.time()
    assert abs(error_s) < CLOCK_ERROR_S, f"an order is dated {error_s} s ahead"
    until(lambda: writers.check(order)["state"] == "succeeded", "an order is paid after the jump", SOON_S)


def kill(server, writers):
    writers.wait_for_more()
    server.kill()
    server.start()
    server.verify()


def terminate(server, writers):
    writers.wait_for_more()
    server.stop()
    server.verify()
    server.start()


FAULTS = [fill_disk, lose_log_reader, jump_clock, kill, terminate]

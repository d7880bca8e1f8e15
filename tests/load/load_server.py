"""A server under load: a `finality serve` process with a sandbox and two merchants."""

import contextlib
import json
import socket
import subprocess
import sys
import urllib.parse
import pathlib

from api import Api
from attacks import Target
from finality_server import ConfiguredServer, SandboxProcess
from wait import until

ATTACKS = pathlib.Path(__file__).with_name("attacks.py")
REFUNDS = 20       # of the order with a long timeline
LARGE_ORDERS = 99  # with it, a page of orders
METADATA = {f"key{number}": "x" * 500 for number in range(50)}  # the largest that the server accepts
SETTINGS = """{first}
[webhooks]
allow_private = ["localhost", "127.0.0.1"]
[channels.sandbox]
kind = "sandbox"
url = "{url}"
secret_file = "{secret}"
{tables}
"""


class LoadServer:
    """The processes and the merchants. Use as a context manager: the end of the block kills what still runs."""

    def __init__(self, directory, contract, first="", tables="", clock=False, server_type=ConfiguredServer,
                 time_scale=1):
        """`first` and `tables` are TOML: settings before the first table, and further tables."""
        self._parts = contextlib.ExitStack()
        self._contract = contract
        (directory / "server").mkdir()
        with self._parts:
            clock_file = directory / "server" / "clock" if clock else None
            upstream = self._begin(SandboxProcess(directory / "sandbox", time_scale, clock_file))
            settings = SETTINGS.format(first=f"time_scale = {time_scale}\n{first}", tables=tables, url=upstream.url,
                                       secret=upstream.secret_file)
            self.server = self._begin(server_type(directory / "server", settings, clock=clock))
            self.url = self.server.base_url
            self.merchants = {}  # name: id
            self.attacker, self.witness = (self._new_merchant(name) for name in ["attacker", "witness"])
            self._running = self._parts.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._running.close()

    def target(self):
        """Creates orders of the attacker: one with a long timeline, and a page of large ones."""
        order = self.attacker.create_order(amount=REFUNDS, payment={"channel": "sandbox", "scenario": "pays"})
        order = self.attacker.order_when_final(order["id"])
        [payment] = order["payments"]
        for _ in range(REFUNDS):
            refund = self.attacker.create_refund(payment["id"], amount=1)
            self.attacker.refund_when_final(refund["id"])
        for _ in range(LARGE_ORDERS):
            self.attacker.create_order(amount=1, metadata=METADATA)
        path = urllib.parse.urlsplit(order["checkout_url"]).path
        return Target(self.url, key_of(self.attacker), order["id"], path)

    def _begin(self, process):
        self._parts.callback(process.clean_up)
        return process.start()

    def _new_merchant(self, name):
        admin = Api(self._contract, self.url, self.server.admin_key)
        merchant = admin.post("/v1/merchants", {"name": name}, expect=201)
        key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
        self.merchants[name] = merchant["id"]
        return Api(self._contract, self.url, key["key"])


def key_of(api):
    return api.headers["Authorization"].removeprefix("Bearer ")


@contextlib.contextmanager
def attack(name, seconds, target):
    """Runs an attack in its own process. Yields a list, to which the end of the block adds the statuses of the
    responses. An attack that has not ended is killed, for example if the block fails."""
    process = subprocess.Popen([sys.executable, ATTACKS, name, str(seconds), json.dumps(vars(target))],
                               stdout=subprocess.PIPE, text=True)
    statuses = []
    try:
        yield statuses
        output, _ = process.communicate(timeout=seconds + 30)
        assert process.returncode == 0, f"the attack {name} ended with {process.returncode}"
        statuses.append(json.loads(output))
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def silent_name_server():
    """Yields the address of a name server that never responds."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as name_server:
        name_server.bind(("127.0.0.1", 0))
        yield "{}:{}".format(*name_server.getsockname())



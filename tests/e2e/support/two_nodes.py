"""Environment of crash rounds (crash_rounds.py) with two `finality serve` nodes on one PostgreSQL database and one
sandbox, and API clients that use both nodes."""

import concurrent.futures
import contextlib
import itertools
import subprocess
import time

import requests

from api import FINAL, Api, order_body
from conftest import FAST
from crash_rounds import Kill
from finality_server import ROOT, ConfiguredServer, SandboxProcess
from patient_client import PatientClient
from sandbox_client import SandboxClient
from shop import Shop
from wait import until

STOP_S = 60.0
LEFT_BEHIND = 20      # orders per kind of open work that a killed node leaves
TAKEN_OVER_S = 10.0   # a killed node's due work and its channel requests are taken over within that time
UNDER_WAY = """SELECT count(*), coalesce(max(p.due_at - p.created_at), 0) FROM payments p
  JOIN orders o ON o.id = p.order_id WHERE p.state = 'processing' AND o.merchant_order_no IN ({})"""
SETTINGS = """
time_scale = {time_scale}
[webhooks]
allow_private = ["127.0.0.1"]
[channels.sandbox]
kind = "sandbox"
url = "{url}"
secret_file = "{secret}"
[channels.sandbox2]
kind = "sandbox"
url = "{url}"
secret_file = "{secret}"
captures = "shared"
"""


class Database:
    """PostgreSQL server of `tools/postgres serve`."""

    def __init__(self):
        self._process = subprocess.Popen([ROOT / "tools/postgres", "serve"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.url = self._read()

    def restart(self):
        """Crashes the database server and restarts it. On return it accepts connections again."""
        self._process.stdin.write("restart\n")
        self._process.stdin.flush()
        assert self._read() == self.url

    def ask(self, sql):
        """Runs a query with a one-row result of integers. Returns them as a list."""
        done = subprocess.run(["psql", "-X", "-A", "-t", "-F", " ", "-d", self.url, "-c", sql], capture_output=True,
                              text=True, timeout=STOP_S)
        assert done.returncode == 0, done.stderr
        return [int(field) for field in done.stdout.split()]

    def stop(self):
        self._process.stdin.close()
        self._process.wait(STOP_S)

    def _read(self):
        line = self._process.stdout.readline().strip()
        assert line, f"tools/postgres ended with {self._process.wait(STOP_S)}"
        return line


class EitherNode(Api):
    """API client that alternates between the nodes, so that a retry reaches the other node than the unanswered
    request."""

    def __init__(self, contract, nodes):
        super().__init__(contract, None)
        self._nodes = nodes
        self._turns = itertools.count()

    def as_operator(self, key, merchant):
        return EitherNode(self.contract, [node.as_operator(key, merchant) for node in self._nodes])

    @property
    def nodes(self):
        return self._nodes

    def request(self, method, path, **arguments):
        return self._nodes[next(self._turns) % len(self._nodes)].request(method, path, **arguments)


class TwoNodes:
    """Environment of crash rounds. The public URL of both nodes is the first node, so it receives all notifications of
    channels. The second node therefore relies on queries while the first is down."""

    def __init__(self, directory, contract, merchant_server):
        self._parts = contextlib.ExitStack()
        self._contract = contract
        self._merchant_server = merchant_server
        with self._parts:
            self.database = Database()
            self._parts.callback(self.database.stop)
            upstream = self._begin(SandboxProcess(directory / "sandbox", FAST))
            self.sandbox = SandboxClient(upstream.url)
            settings = SETTINGS.format(time_scale=FAST, url=upstream.url, secret=upstream.secret_file)
            first = ConfiguredServer(directory / "node-0", settings, self.database.url)
            second = ConfiguredServer(directory / "node-1", settings, self.database.url, first.base_url)
            self.servers = [self._begin(first), self._begin(second)]
            self.other_shops = [self.new_shop("of those who outlive a node")]
            self.taken_over = []  # per kill of a node: the durations from OpenWork.wait(), in seconds
            self.due_again = []   # per kill: requests in flight, and the longest time from creation to due (ms)
            self._running = self._parts.pop_all()

    def new_shop(self, name):
        first, second = self.servers
        here, there = (Api(self._contract, server.base_url, first.admin_key) for server in [first, second])
        merchant = here.post("/v1/merchants", {"name": name}, expect=201)
        key = there.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
        nodes = [Api(self._contract, server.base_url, key["key"]) for server in self.servers]
        return Shop(self._contract, EitherNode(self._contract, nodes), self.sandbox.url, self._merchant_server,
                    merchant["id"], merchant["webhook_secret"], first.admin_key)

    def verify(self):
        return self.servers[0].verify()

    def stop(self):
        """Stops the nodes gracefully, checks that each exits with 0, and audits the store. Returns the report."""
        for server in self.servers:
            server.stop()
        return self.verify()

    def clean_up(self):
        self._running.close()

    # Members that crash_rounds.py requires of an environment.

    def kills(self, number, payments, dice):
        """Returns two kills: the database and a node, one in each half of the round. Their order alternates between
        rounds."""
        whats = ["database", f"node {number % 2}"]
        if number % 2:
            whats.reverse()
        early, late = dice.randrange(payments // 20, payments // 2), dice.randrange(payments // 2, payments * 19 // 20)
        return [Kill(what, after, dice) for what, after in zip(whats, [early, late])]

    @contextlib.contextmanager
    def without(self, what):
        if what == "database":
            self.database.restart()
            yield
            return
        number = int(what.split()[1])
        open_work = OpenWork(self.other_shops[0], number)
        self.servers[number].kill()
        self.due_again.append(self.database.ask(UNDER_WAY.format(open_work.under_way)))
        self.taken_over.append(open_work.wait())
        yield
        self.servers[number].start()

    def _begin(self, server):
        self._parts.callback(server.clean_up)
        return server.start()


class OpenWork:
    """Creates open work on a node before its kill, and waits until the other node has taken it over: due orders, and
    channel requests in flight."""

    def __init__(self, shop, number):
        self._shop = shop
        self._dying, self._living = PatientClient(shop.api.nodes[number]), shop.api.nodes[1 - number]
        self._asking = concurrent.futures.ThreadPoolExecutor(LEFT_BEHIND)
        self._due = [self._dying.post("/v1/orders", self._order("manual"))["id"] for _ in range(LEFT_BEHIND)]
        # The channel responds after 3 s, so the kill precedes the response.
        numbers = [f"under-way-{number}-{time.monotonic_ns()}-{place}" for place in range(LEFT_BEHIND)]
        for name in numbers:
            self._asking.submit(self._ask_slowly, name)
        self._under_way = until(lambda: self._known(numbers), "the requests are in flight")
        self.under_way = ", ".join(f"'{name}'" for name in numbers)

    def wait(self):
        """Waits after the kill until the other node has finished the work. Returns the seconds until the due orders and
        until all orders were final."""
        begin = time.monotonic()
        self._asking.shutdown()
        for order_id in self._due:
            self._shop.sandbox.pay(self._living.order(order_id)["payments"][0])
        # The killed node may have been querying some of the due orders, which are due again only after the query's
        # deadline. So only half of the due orders must be final within the first limit.
        until(lambda: self._count_final(self._due) >= LEFT_BEHIND / 2, "the due work is taken over", TAKEN_OVER_S)
        due_s = time.monotonic() - begin
        until(lambda: self._count_final(self._due + self._under_way) == 2 * LEFT_BEHIND, "the requests are taken over",
              begin + 2 * TAKEN_OVER_S - time.monotonic())
        return due_s, time.monotonic() - begin

    def _order(self, scenario, **fields):
        return order_body(payment={"channel": "sandbox", "scenario": scenario}, notify_url=self._shop.notify_url,
                          **fields)

    def _ask_slowly(self, merchant_order_no):
        with contextlib.suppress(requests.RequestException):
            self._dying.api.post("/v1/orders", self._order("slow", merchant_order_no=merchant_order_no), expect=201)

    def _known(self, numbers):
        """Returns the ids of the orders with these merchant_order_no values if the sandbox has a trade for each,
        otherwise a false value."""
        found = [order for name in numbers
                 for order in self._living.get("/v1/orders", params={"merchant_order_no": name})["data"]]
        ledger = self._shop.sandbox.ledger()
        known = all(payment["out_trade_no"] in ledger for order in found for payment in order["payments"])
        return [order["id"] for order in found] if known and len(found) == len(numbers) else None

    def _count_final(self, order_ids):
        states = [self._living.order(order_id)["state"] for order_id in order_ids]
        assert all(state == "succeeded" for state in states if state in FINAL), states
        return sum(state in FINAL for state in states)

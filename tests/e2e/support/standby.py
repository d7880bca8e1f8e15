"""Environment of crash rounds (crash_rounds.py) with a PostgreSQL primary and its standby, and `finality serve` with
both in its store URL. The kill of a round is a failover: the primary is killed, and the standby is promoted."""

import contextlib

from api import Api
from conftest import FAST
from crash_rounds import Kill
from finality_server import ConfiguredServer, SandboxProcess
from postgres_server import PostgresServer
from sandbox_client import SandboxClient
from shop import Shop
from two_nodes import SETTINGS
from wait import until

STANDBY = "standby1"
RECEIVING = f"SELECT coalesce(string_agg(state || ' ' || sync_state, ','), '') FROM pg_stat_replication " \
            f"WHERE application_name = '{STANDBY}'"


class PrimaryAndStandby:
    """Environment of crash rounds. The standby replicates synchronously or asynchronously, and starts as a base backup
    of the primary."""

    KILLED = "primary"

    def __init__(self, directory, contract, merchant_server, synchronous):
        self._parts = contextlib.ExitStack()
        self._contract = contract
        self._merchant_server = merchant_server
        self.other_shops = []
        with self._parts:
            # Some tests change synchronous_commit by a reload, which is impossible if the command line sets it.
            self.primary = self._begin_database(PostgresServer(synchronous_commit=None).make())
            self.standby = self._begin_database(
                PostgresServer(synchronous_commit=None, wal_retrieve_retry_interval="100ms")
                .make_standby_of(self.primary, STANDBY))
            self._followed = self.standby.sql("SHOW primary_conninfo")
            if synchronous:
                self.primary.sql(f"ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 ({STANDBY})'",
                                 "SELECT pg_reload_conf()")
            self.wait_until_it_receives("streaming " + ("sync" if synchronous else "async"))
            upstream = self._begin(SandboxProcess(directory / "sandbox", FAST))
            self.sandbox = SandboxClient(upstream.url)
            self.server = self._begin(ConfiguredServer(
                directory / "node", SETTINGS.format(time_scale=FAST, url=upstream.url, secret=upstream.secret_file),
                self._url()))
            self._running = self._parts.pop_all()

    def new_shop(self, name):
        admin = Api(self._contract, self.server.base_url, self.server.admin_key)
        merchant = admin.post("/v1/merchants", {"name": name}, expect=201)
        key = admin.post("/v1/api_keys", {"merchant": merchant["id"], "name": "till"}, expect=201)
        api = Api(self._contract, self.server.base_url, key["key"])
        return Shop(self._contract, api, self.sandbox.url, self._merchant_server, merchant["id"],
                    merchant["webhook_secret"], self.server.admin_key)

    def verify(self):
        return self.server.verify()

    def stop(self):
        """Stops the server gracefully and audits the store. Returns the report."""
        self.server.stop()
        return self.verify()

    def clean_up(self):
        self._running.close()

    # Control of the replication.

    def wait_until_it_receives(self, how):
        until(lambda: self.primary.sql(RECEIVING) == how, f"the standby is {how or 'disconnected'}", 30)

    def stop_receiving(self):
        self._receive_from("")
        self.wait_until_it_receives("")

    def receive_again(self):
        self._receive_from(self._followed)

    def _receive_from(self, primary):
        quoted = primary.replace("'", "''")
        self.standby.sql(f"ALTER SYSTEM SET primary_conninfo = '{quoted}'", "SELECT pg_reload_conf()")

    def fail_over(self):
        self.primary.kill()
        self.standby.promote()

    # Members that crash_rounds.py requires of an environment.

    def kills(self, number, payments, dice):
        return [Kill(self.KILLED, dice.randrange(payments // 4, payments * 3 // 4), dice)]

    @contextlib.contextmanager
    def without(self, what):
        assert what == self.KILLED
        self.fail_over()
        yield

    def _url(self):
        user_and_database, first = self.primary.url.split("?host=")
        return f"{user_and_database}?host={first},{self.standby.home}&target_session_attrs=read-write"

    def _begin_database(self, server):
        self._parts.callback(server.clean_up)
        server.start()
        return server

    def _begin(self, server):
        self._parts.callback(server.clean_up)
        return server.start()

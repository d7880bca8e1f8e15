"""A database that requires TLS and a password. Invalid settings are refused with a message that names the error, and
the password appears in no output."""

import subprocess

import pytest

from api import Api, order_body
from finality_server import BINARY, ConfiguredServer, free_ports
from postgres_server import PostgresServer

PASSWORD, WRONG = "geheim-/@%1", "falsch-/@%2"
ENCODED = {PASSWORD: "geheim-%2F%40%251", WRONG: "falsch-%2F%40%252"}
ROLES = ["finality_owner", "finality_run"]
ACCESS = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"


def openssl(directory, *arguments):
    subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True, timeout=60)


class Certificates:
    """Two CAs and the server's certificate for 127.0.0.1. The CA `right` has signed the certificate, the CA `other` has
    not."""

    def __init__(self, directory):
        self._directory = directory
        for name in ["right", "other"]:
            openssl(directory, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", f"/CN={name} CA", "-keyout", f"{name}.key", "-out", f"{name}.crt")
        (directory / "names").write_text("subjectAltName=IP:127.0.0.1")
        openssl(directory, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                "/CN=database", "-keyout", "server.key", "-out", "server.csr")
        openssl(directory, "x509", "-req", "-in", "server.csr", "-CA", "right.crt", "-CAkey", "right.key",
                "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "server.crt")

    def path(self, name):
        return self._directory / name


class Database:
    """PostgreSQL server on 127.0.0.1 with the two database roles that the guide recommends."""

    def __init__(self, certificates):
        [self.port] = free_ports(1)
        self.certificates = certificates
        self.server = PostgresServer(listen_addresses="127.0.0.1", port=self.port, ssl="on",
                                     ssl_cert_file="server.crt", ssl_key_file="server.key")
        # PostgreSQL's socket file has the port in its name.
        self.server.url += f"&port={self.port}"

    def start(self):
        self.server.make()
        for name in ["server.crt", "server.key"]:
            self.server.write(name, self.certificates.path(name).read_text())
        self.server.write("pg_hba.conf", ACCESS)
        self.server.start()
        for role in ROLES:
            self.server.sql(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
        self.server.sql("CREATE DATABASE finality OWNER finality_owner ENCODING 'UTF8' TEMPLATE template0")

    def url(self, role="finality_run", password=PASSWORD, host="127.0.0.1", mode="verify-full", root="right"):
        return (f"postgres://{role}:{ENCODED[password]}@{host}:{self.port}/finality?sslmode={mode}"
                f"&sslrootcert={self.certificates.path(root)}.crt")


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    database = Database(Certificates(tmp_path_factory.mktemp("certificates")))
    try:
        database.start()
        migrated = run("migrate", "--store", database.url("finality_owner"), "--role", "finality_run")
        assert migrated.returncode == 0, migrated.stderr
        yield database
    finally:
        database.server.clean_up()


def run(*arguments):
    """Runs `finality` and checks that its output contains no password. Returns the completed process."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    check_secrets(done.stdout + done.stderr)
    return done


def check_secrets(text):
    for secret in [*ENCODED, *ENCODED.values(), "geheim", "falsch"]:
        assert secret not in text, text


def refusal(url):
    """Runs several commands that open the store. Checks that all fail with the same error message and returns the
    message."""
    message = set()
    for command in [["migrate"], ["verify"], ["keys", "create", "--role", "admin"]]:
        done = run(*command, "--store", url)
        assert done.returncode != 0, command
        message.add(done.stderr.strip())
    assert len(message) == 1, message
    return message.pop()


def test_a_server_runs_over_tls(database, tmp_path, contract):
    server = ConfiguredServer(tmp_path / "node", "migrate = false\n", database.url())
    try:
        server.start()
        admin = Api(contract, server.base_url, server.admin_key)
        merchant = admin.post("/v1/merchants", {"name": "shop"}, expect=201)
        shop = Api(contract, server.base_url, server.admin_key, merchant["id"])
        order = shop.post("/v1/orders", order_body(), expect=201)
        assert shop.order(order["id"])["state"] == "pending"
        connections = "SELECT count(*) || ' ' || bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) " \
                      "WHERE usename = 'finality_run'"
        count, encrypted = database.server.sql(connections).split()
        assert int(count) >= 5 and encrypted == "true"
        server.stop()
        server.verify()
    finally:
        server.clean_up()
    check_secrets(server.log.read_text(encoding="utf-8"))


def test_a_backup_is_restored_for_the_same_two_roles(database, tmp_path):
    copied = run("backup", "--store", database.url("finality_owner"), "--to", tmp_path / "copy")
    assert copied.returncode == 0, copied.stderr
    database.server.sql("CREATE DATABASE restored OWNER finality_owner ENCODING 'UTF8' TEMPLATE template0")
    as_owner, as_run = (database.url(role).replace("/finality?", "/restored?") for role in ROLES)
    restored = run("restore", "--store", as_owner, "--from", tmp_path / "copy")
    assert restored.returncode == 0, restored.stderr
    assert "permission denied" in run("keys", "create", "--role", "admin", "--store", as_run).stderr
    granted = run("migrate", "--store", as_owner, "--role", "finality_run")
    assert granted.returncode == 0, granted.stderr
    made = run("keys", "create", "--role", "admin", "--store", as_run)
    assert made.returncode == 0, made.stderr
    assert run("verify", "--store", as_run).returncode == 0


def test_a_certificate_of_another_ca_is_refused(database):
    message = refusal(database.url(root="other"))
    assert "cannot reach the store: " in message and "127.0.0.1" in message and "certificate verify failed" in message
    assert "Name the file of the CA that signed the server's certificate: sslrootcert" in message


def test_a_certificate_for_another_name_is_refused(database):
    message = refusal(database.url(host="localhost"))
    assert 'for "127.0.0.1"' in message and 'does not match host name "localhost"' in message


def test_a_connection_without_tls_is_refused(database):
    assert "no encryption" in refusal(database.url(mode="disable"))


def test_a_wrong_password_is_refused(database):
    message = refusal(database.url(password=WRONG))
    assert 'password authentication failed for user "finality_run"' in message
    assert "Correct the password in ~/.pgpass or in the store's URL" in message


@pytest.mark.parametrize("damage", [
    lambda url: url.replace("%2F", "/"),                 # the rest of the password is parsed as the database
    lambda url: url.replace("%40", "@"),                 # … as the host
    lambda url: url.replace("%25", "%"),                 # … as an invalid escape
    lambda url: url.replace("@127.0.0.1", "@[127.0.0.1"),
    lambda url: url + "&geheim-",
], ids=["slash", "at", "percent", "bracket", "no value"])
def test_an_invalid_url_is_not_repeated(database, damage, tmp_path):
    message = refusal(damage(database.url()))
    assert "the store's URL cannot be read" in message
    assert run("backup", "--store", damage(database.url()), "--to", tmp_path / "copy").stderr.strip() == message


def test_the_databases_log_contains_no_password(database):
    """Must be the last test of the module: the log then contains all statements and refused logins."""
    text = database.server.log_text.replace(f"PASSWORD '{PASSWORD}'", "")
    assert 'password authentication failed for user "finality_run"' in text
    check_secrets(text)

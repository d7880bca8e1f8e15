"""Commands of the command line: their output, and errors for invalid arguments, which change nothing."""

import json
import os
import re
import socket
import subprocess
import time

import pytest

from finality_server import BINARY, ConfiguredServer, serving
from store_place import SERVER
from wait import until


def run(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60)


def test_an_id_is_shown_in_the_formats_of_the_api_and_the_store():
    shown = run("id", "ord_0amgdq4wr0000", "383384007464714240")
    assert shown.returncode == 0, shown.stderr
    first, second = shown.stdout.splitlines()
    assert first == second
    assert first.startswith("383384007464714240  0amgdq4wr0000  created 2026-11-2"), first
    for wrong in ["ord_", "tea", "-1", "0", "12x", "xyz_0amgdq4wr0000"]:
        refused = run("id", "--", wrong)
        assert refused.returncode == 1 and f"'{wrong}' is not an id" in refused.stderr, wrong


@pytest.mark.skipif(SERVER is not None, reason="a mistyped database is not there either")
def test_merchants_and_keys_are_created_only_in_an_existing_store(tmp_path):
    store = f"sqlite:{tmp_path}/mistyped.db"
    for command in [("keys", "create", "--role", "admin"), ("merchants", "create", "--name", "Tea shop")]:
        refused = run(*command, "--store", store)
        assert refused.returncode == 1 and "does not exist. Create it: finality migrate" in refused.stderr, command
    assert list(tmp_path.iterdir()) == []


def test_names_have_the_limits_of_the_api(tmp_path):
    store = f"sqlite:{tmp_path}/finality.db"
    assert "Next, for a new store: create a key" in run("migrate", "--store", store).stdout
    for name in ["", "two\nlines", "x" * 129, b"\xff\xfe"]:
        for command in [("keys", "create", "--role", "admin"), ("merchants", "create")]:
            refused = subprocess.run([BINARY, *command, "--store", store, "--name", name], capture_output=True,
                                     timeout=60)
            assert refused.returncode == 1 and b"--name must be 1 to 128 characters" in refused.stderr, (command, name)
    wrong = run("keys", "create", "--role", "owner", "--store", store)
    assert wrong.returncode == 2 and "--role viewer|operator|approver|admin" in wrong.stderr
    made = run("keys", "create", "--role", "admin", "--store", store, "--name", "茶")
    assert made.stdout.startswith("op_") and "Key id: key_" in made.stderr


def test_a_second_demo_on_a_directory_is_refused(server):
    before = (server.data / "demo.json").read_bytes(), (server.data / "sandbox.pid").read_bytes()
    second = run("demo", "--port", 1, "--sandbox-port", 2, "--data", server.data, "--store", server.store)
    assert second.returncode == 1
    assert "another demo is running on" in second.stderr
    assert ((server.data / "demo.json").read_bytes(), (server.data / "sandbox.pid").read_bytes()) == before


def test_a_demo_on_an_occupied_port_creates_no_keys(tmp_path):
    data = tmp_path / "data"
    with socket.create_server(("127.0.0.1", 0)) as occupied, socket.create_server(("127.0.0.1", 0)) as spare:
        port, free = occupied.getsockname()[1], spare.getsockname()[1]
        spare.close()
        refused = run("demo", "--port", port, "--sandbox-port", free, "--data", data)
    assert refused.returncode == 1
    assert f"port {port} for the API is in use. Select another port with --port" in refused.stderr
    assert {path.name for path in data.iterdir()} == {"demo.lock"}


@pytest.mark.parametrize("ports, message", [((8080, 8080), "must be different ports"), ((8080, 0), "--sandbox-port"),
                                            ((8080, 70000), "--sandbox-port"), ((-1, 8090), "--port")])
def test_impossible_ports_of_a_demo_are_refused(tmp_path, ports, message):
    refused = run("demo", "--port", ports[0], "--sandbox-port", ports[1], "--data", tmp_path / "data")
    assert refused.returncode != 0 and message in refused.stderr
    assert not (tmp_path / "data").exists()


# `finality orders show`.


def show(shop, *arguments, key=None, server=None):
    """Runs `finality orders show` with the shop's key, over the API unless the arguments name a store."""
    place = [] if "--store" in arguments else ["--server", server or shop.api.base_url]
    environment = os.environ | {"FINALITY_KEY": key or shop.api.headers["Authorization"].split()[1]}
    return subprocess.run([BINARY, "orders", "show", *arguments, *place], env=environment, capture_output=True,
                          text=True, timeout=60)


def operator_key(server, role="viewer"):
    return server.demo["operators"][role if role in server.demo["operators"] else "operator"]


@pytest.fixture(scope="module")
def refunded(shop):
    """An order that is paid, and of which a part is refunded."""
    order = shop.api.order_when_final(shop.order_paid_by("sandbox", "pays", amount=8000)["id"])
    refund = shop.api.create_refund(order["payments"][0]["id"], amount=3000)
    assert shop.api.refund_when_final(refund["id"])["state"] == "succeeded"
    until(lambda: all(one["state"] == "delivered" for one in shop.api.all("/v1/webhook_deliveries", order=order["id"])),
          "all webhooks are delivered, so that the timeline is complete")
    return shop.api.order(order["id"])


def test_an_order_is_shown_with_its_money_and_its_timeline(shop, refunded):
    shown = show(shop, refunded["id"])
    assert shown.returncode == 0, shown.stderr
    facts, attempts, money, timeline = (part.splitlines() for part in shown.stdout.split("\n\n"))
    assert re.search(r"^  final     \S+Z, after \d+ ms$", "\n".join(facts), re.M)
    assert facts[0] == f"order {refunded['id']}: succeeded" and f"  number    {refunded['merchant_order_no']}" in facts
    assert attempts[1].split() == [refunded["payments"][0]["id"], "sandbox", "web", "succeeded", "80.00", "CNY"]
    assert [line.split() for line in money] == [
        ["money"], ["ordered", "80.00", "CNY"], ["paid", "80.00", "CNY"], ["refunded", "-30.00", "CNY"],
        ["the", "merchant", "gets", "50.00", "CNY"]]
    items = shop.api.timeline(refunded["id"])
    assert timeline[:2] == ["timeline", f"{refunded['created_at'][:10]} (UTC)"]
    lines = [line for line in timeline[1:] if not line.endswith(" (UTC)")]
    assert len(lines) >= len(items)
    for line, item in zip(lines, items):
        assert line.startswith(item["at"][11:23]) and line.endswith(item["summary"]), (line, item)


def test_an_order_is_found_by_its_number(shop, refunded):
    assert show(shop, refunded["merchant_order_no"]).stdout == show(shop, refunded["id"]).stdout
    unknown = show(shop, "no such number")
    assert unknown.returncode == 1
    assert "no order has the id or the merchant_order_no 'no such number'" in unknown.stderr


def test_an_operator_names_the_merchant_of_the_order(shop, server, refunded):
    key = operator_key(server)
    shown = show(shop, refunded["merchant_order_no"], "--merchant", shop.id, key=key)
    assert shown.returncode == 0 and refunded["id"] in shown.stdout, shown.stderr
    without = show(shop, refunded["id"], key=key)
    assert without.returncode == 1 and "Finality-Merchant" in without.stderr
    wrong = show(shop, refunded["id"], "--merchant", "tea", key=key)
    assert wrong.returncode == 2 and "--merchant must be a merchant id (mer_…)" in wrong.stderr


def test_an_order_is_shown_from_the_store_while_the_server_runs(shop, server, refunded):
    served = show(shop, refunded["id"], "--merchant", shop.id, key=operator_key(server))
    for arguments in [(refunded["id"],), (refunded["merchant_order_no"], "--merchant", shop.id)]:
        stored = show(shop, *arguments, "--store", server.store)
        assert stored.returncode == 0 and stored.stdout == served.stdout, stored.stderr
    without = show(shop, refunded["merchant_order_no"], "--store", server.store)
    assert without.returncode == 1 and "give --merchant" in without.stderr


def test_an_order_is_shown_as_json(shop, refunded):
    shown = json.loads(show(shop, refunded["id"], "--json").stdout)
    assert shown == {"order": shop.api.order(refunded["id"]), "timeline": shop.api.timeline(refunded["id"])}
    unknown = show(shop, "ord_0akppvnzw0000", "--json")
    assert unknown.returncode == 1 and '"code":"not_found"' in unknown.stderr


def test_an_order_is_followed_until_it_is_final(shop):
    order = shop.order_paid_by("sandbox", "manual")
    environment = os.environ | {"FINALITY_KEY": shop.api.headers["Authorization"].split()[1]}
    with subprocess.Popen([BINARY, "orders", "show", order["id"], "--follow", "--server", shop.api.base_url],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as following:
        try:
            seen = ""
            while "processing → pending on waiting" not in seen:
                line = following.stdout.readline()
                assert line, following.stderr.read()
                seen += line
            assert following.poll() is None
            shop.sandbox.pay(shop.api.payment(order["payments"][0]["id"]))
            rest, error = following.communicate(timeout=30)
        finally:
            following.kill()
    assert following.returncode == 0, error
    timeline, final = rest.split(f"\norder {order['id']}: succeeded\n")
    assert "pending → succeeded on paid" in timeline and "the merchant gets  19.99 CNY" in final
    assert (seen + timeline).count(": created, pending (API request") == 1, "no item is printed twice"


@pytest.mark.parametrize("arguments, message", [
    (["ord_0akppvnzw0000"], "--store or --server is required"), (["--server", "http://127.0.0.1:1"], "order is required"),
    (["x", "--server", "http://127.0.0.1:1", "--store", "y"], "excludes"),
    (["x", "--server", "http://127.0.0.1:1", "--follow", "--json"], "excludes")])
def test_a_wrong_command_to_show_an_order_is_refused(arguments, message):
    done = run("orders", "show", *arguments)
    assert done.returncode == 2 and message in done.stderr, done.stderr


# Configurations: `include`, and `finality serve --check`.

SHOPS = 1000
START_LIMIT_S = 60


def write_shops(folder, count):
    """Writes one file per shop, with one channel each."""
    (folder / "channels.d").mkdir()
    (folder / "sandbox.secret").write_text("a secret that only this test knows")
    (folder / "sandbox.secret").chmod(0o600)
    for number in range(count):
        (folder / f"channels.d/{number}.toml").write_text(
            f'[channels.shop_{number}]\nkind = "sandbox"\nurl = "http://127.0.0.1:8090/{number}"\n'
            f'secret_file = "{folder}/sandbox.secret"\n')


def check(folder):
    return run("serve", "--check", "--config", folder / "finality.toml")


def test_a_thousand_shops_start_and_are_checked(tmp_path):
    write_shops(tmp_path, SHOPS)
    began = time.monotonic()
    with serving(tmp_path, 'include = "channels.d/*.toml"\n') as server:
        started = time.monotonic() - began
        assert started < START_LIMIT_S
        checked = check(tmp_path)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert f"channels       {SHOPS} enabled (sandbox {SHOPS}), 0 disabled\n" in checked.stdout
        assert "the configuration is valid\n" in checked.stdout and "warning: " not in checked.stdout
        assert "no channel is" not in server.log_tail()
    again = check(tmp_path)
    assert again.returncode == 0, again.stderr


def test_a_configuration_without_channels_is_a_warning(tmp_path):
    (tmp_path / "channels.d").mkdir()
    with serving(tmp_path, 'include = "channels.d/*.toml"\n') as server:
        assert 'msg="no channel is configured"' in server.log_tail()
        assert 'msg="the setting include matches no file" detail=channels.d/*.toml' in server.log_tail()
        checked = check(tmp_path)
    assert checked.returncode == 0
    assert "warning: no channel is configured: " in checked.stdout
    assert "warning: the setting include matches no file: channels.d/*.toml\n" in checked.stdout


def test_what_prevents_a_start_is_found_by_a_check(tmp_path):
    write_shops(tmp_path, 2)
    server = ConfiguredServer(tmp_path, 'include = "channels.d/*.toml"\n[[routes]]\nchannels = ["tea"]\n')
    (tmp_path / "sandbox.secret").chmod(0o644)
    routed = check(tmp_path)
    assert routed.returncode == 1 and "routes[0].channels: unknown channel tea" in routed.stderr
    assert f"warning: channels.shop_0: other users can access {tmp_path}/sandbox.secret" in routed.stdout
    server.configure('include = "channels.d/*.toml"\n[channels.shop_1]\nkind = "sandbox"\n')
    assert f"{tmp_path}/channels.d/1.toml:1: channels.shop_1 is already defined in " in check(tmp_path).stderr
    server.configure('include = "channels.d/*.toml"\n')
    (tmp_path / "sandbox.secret").unlink()
    assert "channels.shop_0.secret_file must contain the channel's secret: cannot read" in check(tmp_path).stderr
    server.configure("")
    with (tmp_path / "finality.toml").open("a") as file:
        file.write("migrate = false\n")
    assert check(tmp_path).returncode == 0
    if SERVER is None:
        (tmp_path / "finality.db").unlink()
        missing = check(tmp_path)
        assert missing.returncode == 1 and "cannot be opened" in missing.stdout
        server.configure("")
        created = check(tmp_path)
        assert created.returncode == 0 and "the server creates it" in created.stdout


def test_a_change_that_the_store_does_not_allow_is_found_by_a_check(tmp_path):
    write_shops(tmp_path, 1)
    with serving(tmp_path, 'include = "channels.d/*.toml"\n'):
        pass
    file = tmp_path / "channels.d/0.toml"
    file.write_text(file.read_text() + 'funds = "merchant"\n')
    changed = check(tmp_path)
    assert changed.returncode == 1 and "channels.shop_0: " in changed.stderr
    assert "cannot change; for funds of merchant use another name" in changed.stderr

"""Runs `finality archive` and `finality unarchive`, and checks the archive and its source store."""

import collections
import contextlib
import datetime
import hashlib
import json
import subprocess
import time

from finality_server import BINARY
from store_place import SERVER
from store_sql import ask

BALANCES = "SELECT merchant_id, kind, channel, currency, name, balance, held, version FROM accounts ORDER BY id"
ENTRIES = "SELECT id, journal_id, account_id, amount, balance_after, document_id, root_id FROM entries ORDER BY id"
ID_EPOCH_MS = 1_704_067_200_000  # as in base/id.h
ID_TIME_SHIFT = 22


def finality(*arguments, timeout=60):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)


def instant(ago=datetime.timedelta()):
    return (datetime.datetime.now(datetime.UTC) - ago).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def wait_for_ids(store):
    """Waits until the instants in the ids of all orders are past: those of a server that was restarted can be ten
    seconds ahead of the clock, and `finality archive` selects orders by id."""
    [(newest,)] = ask(store, "SELECT MAX(id) FROM orders")
    while time.time() * 1000 <= (int(newest) >> ID_TIME_SHIFT) + ID_EPOCH_MS:
        time.sleep(0.1)


def command(store, directory, before, *more):
    return ["archive", "--store", store, "--before", before, "--to", directory, "--even-young", "--json", *more]


def archive(store, directory, before):
    """Runs `finality archive` to its end and returns its report."""
    done = finality(*command(store, directory, before))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@contextlib.contextmanager
def out_of_use(server):
    """Yields the store in the state that both commands require: on SQLite the server is stopped until the block ends,
    on PostgreSQL it keeps running."""
    if SERVER is None:
        server.stop()
    try:
        yield server.store
    finally:
        if SERVER is None:
            server.start()


def unarchive(store, directory, *arguments):
    return finality("unarchive", "--store", store, "--from", directory, "--json", *arguments)


def books(store):
    """Returns all balances and all ledger entries, which archiving must not change."""
    return ask(store, BALANCES), ask(store, ENTRIES)


def lines_of(directory):
    return [json.loads(line) for line in (directory / "orders.jsonl").read_text(encoding="utf-8").splitlines()]


def check_archive(directory):
    """Checks that the manifest of the archive matches its lines. Returns the manifest and the parsed lines."""
    manifest, lines = json.loads((directory / "manifest.json").read_text()), lines_of(directory)
    assert manifest["state"] == "done"
    assert manifest["sha256"] == hashlib.sha256((directory / "orders.jsonl").read_bytes()).hexdigest()
    assert manifest["archive"] == f"{directory.name}-{manifest['sha256'][:32]}"
    rows = collections.Counter({"orders": len(lines)})
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for line in lines:
        for whole in [line, *line["deliveries"]]:
            rows.update({table: len(listed) for table, listed in whole.items() if isinstance(listed, list)})
        order = line["order"]
        key = order["merchant_id"], order["currency"]
        for place, value in enumerate([1, order["amount"], order["paid_amount"], order["refunded_amount"]]):
            sums[key][place] += value
    assert manifest["rows"] == dict(rows)
    stated = [[one["orders"], int(one["amount"]), int(one["paid"]), int(one["refunded"])] for one in manifest["sums"]]
    assert sorted(stated) == sorted(sums.values())
    assert len({line["order"]["id"] for line in lines}) == len(lines)
    return manifest, lines

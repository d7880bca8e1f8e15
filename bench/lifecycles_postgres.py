"""Payment lifecycles per second on PostgreSQL, compared with a row-at-a-time design (peer.sql) on the same server. Both
use the same tables, indexes and rows, durable commits, prepared statements and numbers of clients."""

import pathlib
import re
import subprocess

from bench.charts import line_chart
from bench.database import TABLES, counts, programs, psql

PEER = "row at a time, FOR UPDATE, pgbench"
SCRIPT = pathlib.Path(__file__).with_name("peer.sql")

# Texts that the peer writes, as long as those of a real order. No colon is directly before a letter, because pgbench
# would parse it as a variable.
TEXTS = {
    "asked": '{"bench": true}',
    "waiting": '{"evidence": "waiting","asked_at": "2026-11-21T19.00.09.641Z","channel_trade_no": "2026112200381495264481378304",'
               '"channel": "sandbox","via": {"bench": true}}',
    "paid": '{"evidence": "paid","asked_at": "2026-11-21T19.00.09.641Z","channel_trade_no": "2026112200381495264481378304",'
            '"amount": 8000,"currency": "CNY","channel": "sandbox","via": {"bench": true}}',
    "acknowledged": '{"attempt": 1,"status": 200}',
    "notify_url": "https://shop.example/notify",
    "body": "x" * 865,
}
NOW, LATER = 1795287609638, 1795291209638


def measure(run):
    lines = {}
    all_clients = run.choose((16, 64, 128), (16, 64))
    for merchants in (1000, 1):
        who = f"{merchants:,} merchants" if merchants > 1 else "one hot merchant"
        peer_store, ours = make_peer(run, merchants), {}
        peers = {}
        for clients in all_clients:
            run.progress(f"PostgreSQL as the seeds use it, {who}, {clients} clients")
            peers[clients] = pgbench(peer_store, merchants, clients, seconds=run.choose(12, 4))
            run.progress(f"lifecycles on PostgreSQL, {who}, {clients} clients")
            ours[clients], store = lifecycle(run, merchants, clients)
            compare_rows(store, peer_store)
            if clients == all_clients[-1]:
                run.verify(store)
            run.drop_database(store)
        run.drop_database(peer_store)
        for clients in all_clients:
            run.table.add(f"lifecycles on PostgreSQL, {who}, {clients} clients", ours[clients], "1/s", PEER, peers[clients])
        run.table.add(f"lifecycles on PostgreSQL, {who}, the best of {', '.join(map(str, all_clients))} clients",
                      max(ours.values()), "1/s", f"the best of {PEER}", max(peers.values()))
        lines |= {f"Finality, {who}": list(ours.items()), f"row at a time, {who}": list(peers.items())}
    run.save("clients.svg", line_chart("Lifecycles on PostgreSQL", "clients", "lifecycles a second", lines))
    measure_captures(run, all_clients[-1])


def measure_captures(run, clients):
    """Compares lifecycles with manual capture with those of payments. Both run directly after one another."""
    name = f"lifecycles with authorization and capture on PostgreSQL, 1,000 merchants, {clients} clients"
    run.progress(name)
    plain, store = lifecycle(run, 1000, clients)
    run.drop_database(store)
    captured, store = lifecycle(run, 1000, clients, "--capture", "manual")
    run.verify(store)
    run.drop_database(store)
    run.table.add(name, captured, "1/s", "lifecycles of payments", plain)


def lifecycle(run, merchants, clients, *options):
    store = run.new_database()
    payments = min(run.choose(30_000, 5_000), 250 * clients)
    result = run.finality("bench", "lifecycle", "--store", store, "--payments", payments, "--merchants", merchants,
                          "--clients", clients, *options, "--json")
    return result["payments_per_second"], store


def make_peer(run, merchants):
    """Creates a database with Finality's schema, the merchants, and two ledger accounts per merchant. Returns its
    URL."""
    store = run.new_database()
    run.finality("migrate", "--store", store)
    psql(store, f"""
        INSERT INTO merchants (id, name, webhook_secret, link_secret, created_at, version)
          SELECT n, 'merchant ' || n, '', '', {NOW}, 1 FROM generate_series(1, {merchants}) n ON CONFLICT (id) DO NOTHING;  -- the platform has the id 1
        INSERT INTO accounts (id, merchant_id, kind, channel, currency, balance, state, created_at, version,
                              name, label, held, overdraft, lock_number)
          SELECT 1000000 + n * 2 + side, n, CASE side WHEN 0 THEN 'channel_receivable' ELSE 'merchant_payable' END,
                 CASE side WHEN 0 THEN 'sandbox' ELSE '' END, 'CNY', 0, 'open', {NOW}, 1, '', '', 0, 0, 0
          FROM generate_series(1, {merchants}) n, generate_series(0, 1) side;
        ANALYZE;""")
    return store


def pgbench(store, merchants, clients, seconds):
    """Returns the lifecycles per second of pgbench. Ignores the first quarter of the time, in which clients prepare
    their statements."""
    variables = {"merchants": merchants, "n": 0, "run": clients, "now": NOW, "later": LATER} | TEXTS
    command = [programs() / "pgbench", "-n", "-M", "prepared", "-f", SCRIPT, "-c", str(clients), "-j", "1", "-P", "1",
               "-T", str(seconds), *(part for name, value in variables.items() for part in ("-D", f"{name}={value}")), store]
    done = subprocess.run(command, capture_output=True, text=True)
    failed = re.search(r"number of failed transactions: (\d+)", done.stdout)
    if done.returncode != 0 or not failed or failed[1] != "0":
        raise SystemExit(f"pgbench failed:\n{done.stdout}{done.stderr[-2000:]}")
    each_second = [float(rate) for rate in re.findall(r"^progress: .*?([\d.]+) tps", done.stderr, re.M)]
    settled = each_second[len(each_second) // 4:]
    return sum(settled) / len(settled) if settled else float(re.search(r"tps = ([\d.]+)", done.stdout)[1])


def compare_rows(ours, peer):
    """Exits if the peer and the engine do not write the same number of rows per lifecycle, which would make the
    comparison invalid."""
    mine, others = (rows_per_lifecycle(counts(store)) for store in (ours, peer))
    if mine != others:
        raise SystemExit(f"the peer writes other rows for a lifecycle: {others} instead of {mine}")


def rows_per_lifecycle(rows):
    """Returns the rows per lifecycle of each table. Rounding removes the rows that are written once per merchant."""
    return {table: round(rows[table] / rows["orders"]) for table in TABLES}

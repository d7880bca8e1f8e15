"""Runs SQL on the store of a test server, and backdates records, because tests cannot wait for a retention period of a
month."""

import sqlite3
import subprocess

HOUR_MS = 3600 * 1000
ID_SHIFT = 22  # an id starts with a timestamp in ms


def ask(store, sql):
    """Returns the rows of a query, every column as text. The server may run."""
    if store.startswith("sqlite:"):
        with sqlite3.connect(f"file:{store.removeprefix('sqlite:')}?mode=ro", uri=True, timeout=10) as database:
            rows = database.execute(sql).fetchall()
        database.close()
        return [tuple("" if value is None else str(value) for value in row) for row in rows]
    done = subprocess.run(["psql", "-qAt", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-d", store, "-c", sql], check=True,
                          capture_output=True, text=True, timeout=60)
    return [tuple(line.split("\x1f")) for line in done.stdout.splitlines()]


def dump(store):
    """Returns all rows of all tables as text, also bytes, as far as they are text. The server may run."""
    is_sqlite = store.startswith("sqlite:")
    tables = ask(store, "SELECT name FROM sqlite_master WHERE type = 'table'" if is_sqlite else
                 "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()")
    row = "*" if is_sqlite else "r::text"
    return "\n".join("\x1f".join(columns) for (table,) in tables
                     for columns in ask(store, f"SELECT {row} FROM {table} r"))


def run(store, *statements):
    """Runs the statements in one transaction. REQUIRES: the server is stopped."""
    sql = "BEGIN; " + "; ".join(statements) + "; COMMIT;"
    if store.startswith("sqlite:"):
        database = sqlite3.connect(store.removeprefix("sqlite:"), timeout=10)
        database.executescript(sql)
        database.close()
    else:
        subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", store, "-c", sql], check=True, capture_output=True,
                       text=True, timeout=60)


def age(store, hours, order_ids):
    """Backdates the idempotency records, deliveries and events of these orders by `hours`. The orders keep their ids,
    because clients know the ids. `order_ids` are database ids."""
    past = hours * HOUR_MS
    moved = past << ID_SHIFT
    orders = f"({', '.join(order_ids)})"
    deliveries = f"(SELECT id FROM deliveries WHERE order_id IN {orders})"
    answers = f"(SELECT id FROM idempotency_records WHERE object_id IN {orders})"
    run(store,
        f"UPDATE changes SET at = at - {past} WHERE root_id IN {orders} OR root_id IN {deliveries}",
        f"UPDATE changes SET root_id = root_id - {moved} WHERE root_id IN {deliveries}",
        f"UPDATE deliveries SET id = id - {moved}, created_at = created_at - {past} WHERE order_id IN {orders}",
        f"UPDATE idempotency_keys SET record_id = record_id - {moved} WHERE record_id IN {answers}",
        f"UPDATE idempotency_records SET id = id - {moved}, created_at = created_at - {past} WHERE object_id IN {orders}")


def order_ids(store, *numbers):
    """Returns the database ids of the orders with these merchant_order_no values."""
    quoted = ", ".join(f"'{number}'" for number in numbers)
    return [row[0] for row in ask(store, f"SELECT id FROM orders WHERE merchant_order_no IN ({quoted})")]

"""Fills a store with millions of payments: copies those of a first run with set-based SQL inside the database. Every
copy has distinct ids, numbers and hashes. Its entries continue the account's chain of entries, and `finality verify`
finds no violation. Both stores are filled in the same way; only the SQL dialect differs."""

import dataclasses

UNIT = 1 << 22  # one millisecond of an id, for all nodes
EPOCH_MS = 1_704_067_200_000
RESERVED_MS = 10_000

# Columns that a copy changes: ids move forward in time, unique texts get the offset as suffix, hashes are recomputed.
IDS = {
    "orders": "id", "payments": "id order_id", "receipts": "id order_id payment_id",
    "events": "root_id id object_id journal_id", "deliveries": "id order_id", "idempotency_records": "id object_id",
    "idempotency_keys": "record_id", "keys": "id", "entries": "id journal_id document_id root_id",
}
UNIQUE_TEXTS = {"orders": "merchant_order_no", "payments": "out_trade_no channel_trade_no", "receipts": "channel_trade_no"}
HASHES = {"idempotency_records": "key_hash", "idempotency_keys": "hash", "keys": "hash"}
NAMED_BY_THE_WORLD = ("keys", "idempotency_keys")
# Keys are ordered by time or by name (src/model/natural_key.cpp), and a copy keeps this order. A key with a time (its
# first bit is set) moves back by as many days as the copy's number. Other keys get a new beginning and keep their end.
TELLS_THE_TIME, TIME, DAY = 0x80, 6, 10**9
BEGIN = 10


def template_of(table):
    """Query of the rows to copy. Merchants and accounts exist once, so their events and keys are excluded."""
    if table == "keys":
        return "SELECT k.* FROM keys k WHERE k.id IN (SELECT id FROM orders UNION ALL SELECT id FROM receipts)"
    if table == "events":
        return "SELECT * FROM events WHERE root_type IN ('order', 'delivery') ORDER BY root_id, id"
    return f"SELECT * FROM {table}" + ("" if table in NAMED_BY_THE_WORLD else " ORDER BY id")



@dataclasses.dataclass
class Dialect:
    """`copy` is the copy's number, from 1; `moved` is the offset of its ids."""
    copy: str
    moved: str
    hash: str  # of {column}, {moved} and {copy}
    delta: str


def expression(table, column, dialect):
    if column in HASHES.get(table, "").split():
        return dialect.hash.format(column=f"t.{column}", moved=dialect.moved, copy=dialect.copy)
    if column in IDS[table].split():
        return f"t.{column} + {dialect.moved}"
    if column in UNIQUE_TEXTS.get(table, "").split():
        return f"t.{column} || '-' || {dialect.moved}"
    if table == "entries" and column in ("balance_before", "balance_after"):
        return f"t.{column} + a.balance + ({dialect.copy} - 1) * a.total"
    if table == "entries" and column == "previous_id":
        return (f"CASE WHEN t.previous_id IS NOT NULL THEN t.previous_id + {dialect.moved} "
                f"WHEN {dialect.copy} = 1 THEN a.last_entry_id ELSE a.last_id + {dialect.moved} - {dialect.delta} END")
    return f"t.{column}"


def copy_sql(table, columns, dialect, copies, order):
    """INSERT … SELECT of copies of the template's rows. `copies` is a FROM item, or empty for a single copy."""
    names = ", ".join(columns)
    values = ", ".join(expression(table, column, dialect) for column in columns)
    source = f"{copies} CROSS JOIN template_{table} t" if copies else f"template_{table} t"
    if table == "entries":
        source += " JOIN template_accounts a ON a.id = t.account_id"
    return f"INSERT INTO {table} ({names}) SELECT {values} FROM {source} {order}"


# Per account: the total, last entry and number of entries of one copy; and the account's state before the copies.
ACCOUNTS = """
    SELECT e.account_id AS id, sum(e.amount) AS total, max(e.id) AS last_id, count(*) AS entries,
           max(c.balance) AS balance, max(c.last_entry_id) AS last_entry_id
    FROM template_entries e JOIN accounts c ON c.id = e.account_id GROUP BY e.account_id"""


def moves(first_id, last_id, latest_id):
    """Offsets of the ids of the first copy and between further copies, beyond all existing ids."""
    delta = ((last_id - first_id) // UNIT + 1) * UNIT
    return ((latest_id - first_id) // UNIT + 1) * UNIT, delta


def reserved_until(latest_id):
    """Value of nodes.ids_until that covers the copies, in milliseconds since 1970."""
    return latest_id // UNIT + EPOCH_MS + RESERVED_MS

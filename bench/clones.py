"""Fills a store with millions of payments. Set-based SQL inside the database copies the payments of a first run, the
template. Every copy has distinct ids, order and trade numbers, and key hashes. The copied entries continue the chain of
entries of their account, so `finality verify` finds no violation. SQLite and PostgreSQL differ only in the SQL
dialect."""

import dataclasses

UNIT = 1 << 22  # ids per millisecond, of all nodes
EPOCH_MS = 1_704_067_200_000
RESERVED_MS = 10_000

# Columns that a copy changes. Ids get an offset, unique texts get the offset as a suffix, hashes are recomputed.
IDS = {
    "orders": "id", "payments": "id order_id", "receipts": "id order_id payment_id",
    "changes": "root_id id", "deliveries": "id order_id", "idempotency_records": "id object_id",
    "idempotency_keys": "record_id", "keys": "id", "entries": "id journal_id document_id root_id",
}
UNIQUE_TEXTS = {"orders": "merchant_order_no", "payments": "out_trade_no channel_trade_no", "receipts": "channel_trade_no"}
HASHES = {"idempotency_records": "key_hash", "idempotency_keys": "hash", "keys": "hash"}
NAMED_BY_THE_WORLD = ("keys", "idempotency_keys")
# Natural keys are ordered by time or by name (src/model/natural_key.cpp), and a copy keeps this order. If the first bit
# is set, the key starts with a time: copy n subtracts n times DAY. Other keys get a new prefix and keep their suffix.
TELLS_THE_TIME, TIME, DAY = 0x80, 6, 10**9
BEGIN = 10


def template_of(table):
    """Returns the query of the rows to copy. It excludes the changes and keys of merchants and accounts, which are not
    copied."""
    if table == "keys":
        return "SELECT k.* FROM keys k WHERE k.id IN (SELECT id FROM orders UNION ALL SELECT id FROM receipts)"
    if table == "changes":
        return "SELECT * FROM changes WHERE root_type IN ('order', 'delivery') ORDER BY root_id, id"
    return f"SELECT * FROM {table}" + ("" if table in NAMED_BY_THE_WORLD else " ORDER BY id")



@dataclasses.dataclass
class Dialect:
    """SQL expressions in the dialect of a store. `copy` is the ordinal of a copy, from 1, `moved` the offset added to
    its ids, and `delta` the offset between successive copies. `hash` is the template of a new hash."""
    copy: str
    moved: str
    hash: str  # with the placeholders {column}, {moved} and {copy}
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
    """Returns the INSERT … SELECT that copies the template's rows. `copies` is a FROM item with one row per copy, or
    empty for a single copy."""
    names = ", ".join(columns)
    values = ", ".join(expression(table, column, dialect) for column in columns)
    source = f"{copies} CROSS JOIN template_{table} t" if copies else f"template_{table} t"
    if table == "entries":
        source += " JOIN template_accounts a ON a.id = t.account_id"
    return f"INSERT INTO {table} ({names}) SELECT {values} FROM {source} {order}"


# Per account: the sum, the last id and the count of the template's entries, and the account's state before the copies.
ACCOUNTS = """
    SELECT e.account_id AS id, sum(e.amount) AS total, max(e.id) AS last_id, count(*) AS entries,
           max(c.balance) AS balance, max(c.last_entry_id) AS last_entry_id
    FROM template_entries e JOIN accounts c ON c.id = e.account_id GROUP BY e.account_id"""


def moves(first_id, last_id, latest_id, not_before_ms):
    """Returns two id offsets: from the template to the first copy, and between successive copies. All copies get ids
    greater than `latest_id` whose times are not before `not_before_ms` (milliseconds since 1970)."""
    latest_id = max(latest_id, (not_before_ms - EPOCH_MS) * UNIT)
    delta = ((last_id - first_id) // UNIT + 1) * UNIT
    return ((latest_id - first_id) // UNIT + 1) * UNIT, delta


def reserved_until(latest_id):
    """Returns the value of nodes.ids_until (milliseconds since 1970) that makes nodes assign only ids after
    `latest_id`."""
    return latest_id // UNIT + EPOCH_MS + RESERVED_MS

"""Fills a SQLite store with copies of its payments. REQUIRES: no other process has the store open."""

import hashlib
import os
import sqlite3

from bench.clones import (ACCOUNTS, BEGIN, DAY, IDS, NAMED_BY_THE_WORLD, TELLS_THE_TIME, TIME, Dialect, copy_sql, moves,
                          reserved_until, template_of)

DIALECT = Dialect(copy="c.number", moved="(:first + (c.number - 1) * :delta)", hash="new_hash({column}, {moved}, {copy})",
                  delta=":delta")


def new_hash(old, moved, copy):
    if old[0] & TELLS_THE_TIME:
        time = int.from_bytes(old[:TIME], "big") - copy * DAY
        return time.to_bytes(TIME, "big") + hashlib.md5(old + moved.to_bytes(8, "big")).digest()[TIME:]
    return hashlib.md5(old[:BEGIN] + moved.to_bytes(8, "big")).digest()[:BEGIN] + old[BEGIN:]


class SqliteClones:
    """Copies the content that the store has at construction, the template, which is saved in a second file."""

    def __init__(self, path):
        self._path = path
        self._template = str(path) + ".template"
        self.payments = 0
        with self._open() as store:
            for table in IDS:
                store.execute(f"CREATE TABLE t.template_{table} AS {template_of(table)}")
            self.payments = store.execute("SELECT count(*) FROM t.template_orders").fetchone()[0]
            self._first = store.execute("SELECT min(id) FROM t.template_orders").fetchone()[0]
            self._last = latest(store)

    def _open(self):
        store = sqlite3.connect(self._path)
        store.create_function("new_hash", 3, new_hash, deterministic=True)
        for setting in ("journal_mode=DELETE", "journal_mode=OFF", "synchronous=OFF", "cache_size=-1000000"):
            store.execute(f"PRAGMA {setting}")
        store.execute("ATTACH ? AS t", (self._template,))
        store.execute("PRAGMA t.journal_mode=OFF")
        return store

    def add(self, copies, not_before_ms=0):
        """Inserts `copies` copies of the template and syncs them to disk. The times of their ids are not before
        `not_before_ms` (milliseconds since 1970)."""
        with self._open() as store:
            first, delta = moves(self._first, self._last, latest(store), not_before_ms)
            values = {"first": first, "delta": delta, "copies": copies}
            store.execute("DROP TABLE IF EXISTS t.template_accounts")
            store.execute(f"CREATE TABLE t.template_accounts AS {ACCOUNTS}")
            store.execute("CREATE UNIQUE INDEX t.template_accounts_by_id ON template_accounts (id)")
            store.execute("CREATE TEMP TABLE copies AS WITH RECURSIVE n(number) AS "
                          "(SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < :copies) SELECT number FROM n", values)
            for table in IDS:
                columns = [row[1] for row in store.execute(f"PRAGMA main.table_info({table})")]
                order = "ORDER BY 1" if table in NAMED_BY_THE_WORLD else ""
                store.execute(copy_sql(table, columns, DIALECT, "copies c", order), values)
            store.execute("UPDATE accounts SET balance = accounts.balance + :copies * a.total, "
                          "version = accounts.version + :copies * a.entries, "
                          "last_entry_id = a.last_id + :first + (:copies - 1) * :delta "
                          "FROM template_accounts a WHERE a.id = accounts.id", values)
            store.execute("UPDATE nodes SET ids_until = max(ids_until, ?)", (reserved_until(latest(store)),))
        with open(self._path, "rb+") as file:
            os.fsync(file.fileno())


def latest(store):
    return max(store.execute(f"SELECT max(id) FROM {table}").fetchone()[0] for table in ("orders", "entries", "idempotency_records"))

"""Fills a PostgreSQL store with copies of its payments. REQUIRES: no other process writes to the store."""

import concurrent.futures

from bench.clones import (ACCOUNTS, BEGIN, DAY, IDS, NAMED_BY_THE_WORLD, TELLS_THE_TIME, TIME, Dialect, copy_sql, moves,
                          reserved_until, template_of)
from bench.database import psql

NODES = 64  # more node numbers than any benchmark leases
NEW_TIME = (f"substr(int8send(('x' || encode(substr({{column}}, 1, {TIME}), 'hex'))::bit({8 * TIME})::bigint - "
            f"{{copy}} * {DAY}::bigint), {9 - TIME})")
NEW_HASH = (f"CASE WHEN get_byte({{column}}, 0) & {TELLS_THE_TIME} <> 0 "
            f"THEN {NEW_TIME} || substr(decode(md5({{column}} || int8send({{moved}})), 'hex'), {TIME + 1}) "
            f"ELSE decode(left(md5(substr({{column}}, 1, {BEGIN}) || int8send({{moved}})), {2 * BEGIN}), 'hex') || "
            f"substr({{column}}, {BEGIN + 1}) END")


class PostgresClones:
    """Copies the content that the store has at construction, the template, which is saved in the schema `template`."""

    def __init__(self, url):
        self._url = url
        psql(url, "CREATE SCHEMA template; SET search_path = public, template;" + "".join(
            f"CREATE TABLE template.template_{table} AS {template_of(table)};" for table in IDS))
        self.payments = int(psql(url, "SELECT count(*) FROM template.template_orders"))
        self._first = int(psql(url, "SELECT min(id) FROM template.template_orders"))
        self._last = self._latest()

    def add(self, copies, not_before_ms=0):
        """Inserts `copies` copies of the template, then vacuums and checkpoints the database. The times of their ids
        are not before `not_before_ms` (milliseconds since 1970)."""
        first, delta = moves(self._first, self._last, self._latest(), not_before_ms)
        psql(self._url, f"""SET search_path = public, template;
            DROP TABLE IF EXISTS template.template_accounts;
            CREATE TABLE template.template_accounts AS {ACCOUNTS};
            ALTER TABLE template.template_accounts ADD PRIMARY KEY (id);
            ANALYZE template.template_accounts;""")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:  # two connections, because changes are the largest rows
            list(pool.map(lambda tables: psql(self._url, self._fill(tables, copies, first, delta)),
                          (["changes"], [table for table in IDS if table != "changes"])))
        psql(self._url, f"""SET search_path = public, template;
            UPDATE accounts SET balance = accounts.balance + {copies} * a.total, version = version + {copies} * a.entries,
                last_entry_id = a.last_id + {first} + ({copies} - 1) * {delta}::bigint
              FROM template_accounts a WHERE a.id = accounts.id;""")
        psql(self._url, f"""
            INSERT INTO nodes (number, token, ids_until, last_batch, leased_until)
              SELECT n, 1, {reserved_until(self._latest())}, 0, 0 FROM generate_series(0, {NODES - 1}) n
              ON CONFLICT (number) DO UPDATE SET ids_until = greatest(nodes.ids_until, excluded.ids_until);
            VACUUM (ANALYZE); CHECKPOINT;""")

    def _fill(self, tables, copies, first, delta):
        """Returns the SQL that inserts the copies into `tables`. Tables with ids get one statement per copy, so that
        rows are written in id order. Tables of keys get one statement for all copies, in key order."""
        parts = ["SET search_path = public, template; SET synchronous_commit = off; SET work_mem = '256MB';"]
        for table in tables:
            keys = table in NAMED_BY_THE_WORLD
            dialect = Dialect(copy="c", moved=f"({first} + (c - 1) * {delta}::bigint)", hash=NEW_HASH, delta=str(delta))
            source = f"generate_series(1::bigint, {copies}) c" if keys else ""
            sql = copy_sql(table, self._columns(table), dialect, source, "ORDER BY 1" if keys else "")
            parts.append(f"{sql};" if keys else
                         f"DO $$ BEGIN FOR c IN 1..{copies}::bigint LOOP {sql}; END LOOP; END $$;")
        return "\n".join(parts)

    def _columns(self, table):
        return psql(self._url, f"SELECT attname FROM pg_attribute WHERE attrelid = 'public.{table}'::regclass "
                               "AND attnum > 0 AND NOT attisdropped ORDER BY attnum").split()

    def _latest(self):
        return max(int(psql(self._url, f"SELECT max(id) FROM {table}")) for table in ("orders", "entries", "idempotency_records"))

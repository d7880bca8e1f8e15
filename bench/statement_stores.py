"""The stores of the benchmark of statements: fills, copies and queries a SQLite file or a PostgreSQL database."""

import functools
import pathlib
import shutil
import sqlite3
import time

from bench.clones_postgres import PostgresClones
from bench.clones_sqlite import SqliteClones
from bench.database import database_name, psql

PAYMENTS = "SELECT merchant_id, payment_id, channel_trade_no, amount FROM receipts WHERE id <= {until} ORDER BY id"
# The matches of payments in other statements, which a store with a history has.
MATCHED = ("INSERT INTO statement_matches (document_id, document_type, merchant_id, channel_account_id, statement_id, "
           "line_no, line, created_at) SELECT id, 'receipt', merchant_id, channel_account_id, 1, 1, {line}, created_at "
           "FROM receipts WHERE id > {after}")
LAST_OF = "SELECT max(id), max(paid_at) FROM receipts"
TIMES = ("SELECT min(CASE WHEN to_state = 'matching' THEN at END), max(CASE WHEN to_state = 'matched' THEN at END) "
         "FROM events WHERE root_type = 'statement' AND root_id = (SELECT min(id) FROM statements "
         "WHERE channel = 'sandbox' AND state = 'matched')")
# The peers: lines in a table, compared with the receipts by one statement.
PEER_TABLE = ("CREATE TABLE peer_lines (line_no bigint, trade_no text, merchant_id bigint, payment_id bigint, "
              "amount bigint)")
PEER_JOIN = ("CREATE TABLE peer_matches AS SELECT l.line_no, r.id FROM {lines} l JOIN {receipts} r "
             "ON r.channel_trade_no = l.trade_no AND r.payment_id = l.payment_id AND r.amount = l.amount")


class SqliteStore:
    def __init__(self, run, name):
        self._run, self._name = run, name
        self.url = run.new_sqlite(name)
        self.path = pathlib.Path(self.url.removeprefix("sqlite:"))

    @functools.cached_property
    def clones(self):
        return SqliteClones(self.path)

    def copy(self, name):
        """Returns a copy. REQUIRES: no process has the store open."""
        copy = SqliteStore(self._run, name)
        with sqlite3.connect(self.path) as database:  # moves the log into the file
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copyfile(self.path, copy.path)
        return copy

    def drop(self):
        for file in self.path.parent.glob(self.path.name + "*"):
            file.unlink()

    def query(self, sql):
        with sqlite3.connect(self.path) as database:
            return database.execute(sql).fetchall()

    def mark_matched(self, after):
        with sqlite3.connect(self.path) as database:
            database.execute(MATCHED.format(line="randomblob(16)", after=after))

    def joined(self, lines):
        """Returns the seconds to store the lines in a table, to index it, and to join it with the receipts."""
        with sqlite3.connect(self.path) as database:
            database.execute("PRAGMA synchronous=OFF")
            begin = time.monotonic()
            database.execute(PEER_TABLE)
            database.executemany("INSERT INTO peer_lines VALUES (?, ?, ?, ?, ?)", lines)
            database.execute("CREATE INDEX peer_lines_by_trade ON peer_lines (trade_no, payment_id)")
            database.execute("ANALYZE peer_lines")
            database.execute(PEER_JOIN.format(lines="peer_lines", receipts="receipts"))
            database.commit()
            seconds = time.monotonic() - begin
            self._check(database.execute("SELECT count(*) FROM peer_matches").fetchone()[0], len(lines))
        return seconds

    def nested(self, count):
        """Returns the seconds to compare each of `count` lines with each of `count` receipts."""
        with sqlite3.connect(self.path) as database:
            database.execute("PRAGMA automatic_index=OFF")
            database.execute(f"CREATE TEMP TABLE l AS SELECT * FROM peer_lines ORDER BY line_no LIMIT {count}")
            database.execute("CREATE TEMP TABLE r AS SELECT r.* FROM receipts r JOIN peer_matches m ON m.id = r.id "
                             f"WHERE m.line_no <= {count}")
            database.execute("DROP TABLE peer_matches")
            begin = time.monotonic()
            database.execute(PEER_JOIN.format(lines="l", receipts="r"))
            return time.monotonic() - begin

    @staticmethod
    def _check(matches, lines):
        if matches != lines:
            raise SystemExit(f"the peer matched {matches} of {lines} lines")


class PostgresStore:
    def __init__(self, run, url=None):
        self._run = run
        self.url = url or run.new_database()

    @functools.cached_property
    def clones(self):
        return PostgresClones(self.url)

    def copy(self, _name):
        """Returns a copy. REQUIRES: no process has the store open."""
        copy = PostgresStore(self._run)
        before, after = self.url.split("?", 1)
        maintenance = f"{before.rsplit('/', 1)[0]}/postgres?{after}"
        name = database_name(copy.url)
        psql(maintenance, f"DROP DATABASE {name}")
        psql(maintenance, f"CREATE DATABASE {name} TEMPLATE {database_name(self.url)}")
        psql(copy.url, "VACUUM (ANALYZE)")
        return copy

    def drop(self):
        self._run.drop_database(self.url)

    def query(self, sql):
        return [[int(cell) if cell.lstrip("-").isdigit() else cell for cell in row.split("|")]
                for row in psql(self.url, sql).splitlines()]

    def mark_matched(self, after):
        psql(self.url, MATCHED.format(line="decode(md5(id::text), 'hex')", after=after) + "; ANALYZE statement_matches;")

    def joined(self, lines):
        """Returns the seconds to copy the lines into a table and to join them with the receipts, by a hash join."""
        rows = "".join("\t".join(map(str, line)) + "\n" for line in lines)
        begin = time.monotonic()
        psql(self.url, f"{PEER_TABLE};\nCOPY peer_lines FROM STDIN;\n{rows}\\.\n"
                       "SET work_mem = '256MB'; SET enable_mergejoin = off; SET enable_nestloop = off; ANALYZE peer_lines;\n"
                       f"{PEER_JOIN.format(lines='peer_lines', receipts='receipts')};")
        seconds = time.monotonic() - begin
        SqliteStore._check(int(psql(self.url, "SELECT count(*) FROM peer_matches")), len(lines))
        return seconds

    def nested(self, count):
        """Returns the seconds to compare each of `count` lines with each of `count` receipts."""
        psql(self.url, f"CREATE TABLE peer_few AS SELECT * FROM peer_lines ORDER BY line_no LIMIT {count};"
                       "CREATE TABLE peer_receipts AS SELECT r.* FROM receipts r JOIN peer_matches m ON m.id = r.id "
                       f"WHERE m.line_no <= {count}; DROP TABLE peer_matches;")
        begin = time.monotonic()
        psql(self.url, "SET enable_hashjoin = off; SET enable_mergejoin = off; SET max_parallel_workers_per_gather = 0;"
                       f"{PEER_JOIN.format(lines='peer_few', receipts='peer_receipts')};")
        return time.monotonic() - begin

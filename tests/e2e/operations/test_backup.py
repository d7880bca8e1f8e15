"""A backup of a running server is a consistent snapshot, and a store restored from it passes the audit. A damaged backup
is refused."""

import contextlib
import hashlib
import os
import shutil
import sqlite3
import subprocess
import threading

import pytest

from api import Api
from account_fixtures import Bank
from finality_server import BINARY, FinalityServer
from store_place import SERVER, store_of
from wait import until

CLIENTS = 4
FIRST = 40  # minimum number of orders before the backup starts


def finality(*arguments):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60)


class Traffic:
    """Runs clients that pay orders and transfer money until the block ends. Records the acknowledged orders."""

    def __init__(self, server, contract):
        self._server, self._contract = server, contract
        self.orders = []  # merchant order numbers, in the order of acknowledgement
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(number,)) for number in range(CLIENTS)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _work(self, client):
        bank = Bank.of_demo(self._contract, self._server.demo)
        api, till, customer = bank.api, bank.till(), bank.open(name="Customer", kind="customer")
        count = 0
        while not self._stop.is_set():
            count += 1
            number = f"backup-{client}-{count}"
            api.post("/v1/transfers", {"debit_account": till["id"], "credit_account": customer["id"], "amount": 100,
                                       "currency": "CNY", "reference": number}, expect=201)
            api.post("/v1/orders", {"merchant_order_no": number, "amount": 100, "currency": "CNY", "subject": "Tea",
                                    "payment": {"channel": "wallet", "account": customer["id"]}}, expect=201)
            self.orders.append(number)


@pytest.fixture(scope="module")
def places(tmp_path_factory, contract):
    """Makes and restores a backup. Returns the server, the data directory, the restored store, and the orders
    acknowledged before the backup started."""
    data = tmp_path_factory.mktemp("backup")
    server = FinalityServer(data / "server", 100).start()
    try:
        with Traffic(server, contract) as traffic:
            until(lambda: len(traffic.orders) >= FIRST, "some orders are paid")
            before = list(traffic.orders)
            made = finality("backup", "--store", server.store, "--to", data / "copy")
            assert made.returncode == 0, made.stderr
            after = len(traffic.orders)
            until(lambda: len(traffic.orders) > after, "the server continues")
        restored = store_of(data / "restored")
        (data / "restored").mkdir()
        done = finality("restore", "--store", restored, "--from", data / "copy")
        assert done.returncode == 0 and "Next, check the store: finality verify" in done.stdout, done.stderr
        yield server, data, restored, before
        server.stop()
        server.verify()
    finally:
        server.clean_up()


def test_a_restored_store_keeps_every_invariant(places):
    _, _, restored, _ = places
    checked = finality("verify", "--store", restored)
    assert checked.returncode == 0, checked.stdout


def test_a_backup_contains_everything_acknowledged_before(places, contract):
    server, data, restored, before = places
    second = FinalityServer(data / "restored", 100)
    assert second.store == restored
    (data / "restored" / "credentials.json").write_bytes((server.data / "credentials.json").read_bytes())
    try:
        second.start()
        api = Api(contract, second.demo["base_url"], second.demo["secret_key"])
        for number in before:
            [order] = api.get("/v1/orders", params={"merchant_order_no": number})["data"]
            assert order["state"] == "succeeded"
        made = api.post("/v1/orders", {"merchant_order_no": "after", "amount": 1, "currency": "CNY", "subject": "Tea"},
                        expect=201)
        assert made["id"] > order["id"], "new ids must follow those of the backup"
        second.stop()
        second.verify()
    finally:
        second.clean_up()


def test_a_backup_has_its_digest_in_the_format_of_sha256sum(places):
    _, data, _, _ = places
    checked = subprocess.run(["sha256sum", "--check", "--strict", "copy.sha256"], cwd=data, capture_output=True, text=True)
    assert checked.returncode == 0 and "copy: OK" in checked.stdout, checked.stderr


@pytest.mark.skipif(SERVER is None, reason="the format of PostgreSQL backups")
def test_a_changed_dump_is_refused(places, tmp_path):
    _, data, _, _ = places
    copy = tmp_path / "copy"
    for name in ["copy", "copy.sha256"]:
        shutil.copy(data / name, tmp_path)
    flip(copy, copy.stat().st_size // 2)
    done = finality("restore", "--store", store_of(tmp_path), "--from", copy)
    assert done.returncode == 1 and f"{copy} is not the file that {copy}.sha256 describes" in done.stderr, done.stderr


def test_existing_files_and_stores_are_not_overwritten(places):
    server, data, restored, _ = places
    again = finality("backup", "--store", server.store, "--to", data / "copy")
    assert again.returncode == 1 and "already exists. Name a new file." in again.stderr
    over = finality("restore", "--store", server.store, "--from", data / "copy")
    assert over.returncode == 1 and over.stderr
    server.verify()


def test_a_backup_is_a_file_and_not_a_directory(places, tmp_path):
    server, _, _, _ = places
    for directory in [f"{tmp_path}", f"{tmp_path}/", f"{tmp_path}/none/"]:
        refused = finality("backup", "--store", server.store, "--to", directory)
        assert refused.returncode == 2, refused
        assert f"'{directory}' names a directory. Name the file to create, such as " in refused.stderr, refused.stderr
        assert f"{directory.rstrip('/')}/finality-backup" in refused.stderr, refused.stderr
    assert not list(tmp_path.iterdir())


embedded = pytest.mark.skipif(SERVER is not None, reason="files of the embedded store")
PAGE_BYTES = 4096


def flip(file, offset):
    with file.open("r+b") as opened:
        opened.seek(offset)
        [byte] = opened.read(1)
        opened.seek(offset)
        opened.write(bytes([byte ^ 1]))


def overwrite(file, page, content=b"\0" * PAGE_BYTES):
    with file.open("r+b") as opened:
        opened.seek((page - 1) * PAGE_BYTES)
        opened.write(content)


def pages_of(file):
    """Returns one page of each table and index: their last leaf page, by "table NAME" or "index NAME"."""
    with contextlib.closing(sqlite3.connect(f"file:{file}?immutable=1", uri=True)) as store:
        return dict(store.execute("""
            SELECT s.type || ' ' || d.name, max(d.pageno) FROM dbstat d JOIN sqlite_schema s ON s.name = d.name
            WHERE d.pagetype = 'leaf' GROUP BY d.name"""))


@pytest.fixture
def copy(places, tmp_path):
    """A copy of the backup, with its digest."""
    _, data, _, _ = places
    for name in ["copy", "copy.sha256"]:
        shutil.copy(data / name, tmp_path)
    return tmp_path / "copy"


def restore(copy, *options):
    """Restores a backup to a new store. After a refusal, no file of the new store exists."""
    store = copy.parent / "new.db"
    done = finality("restore", "--store", f"sqlite:{store}", "--from", copy, *options)
    if done.returncode != 0:
        assert done.returncode == 1 and not list(copy.parent.glob("new.db*")), (done, list(copy.parent.iterdir()))
    return done


@embedded
def test_an_invalid_backup_is_refused(tmp_path):
    (tmp_path / "text").write_text("no backup")
    (tmp_path / "empty").write_text("")
    for file, complaint in [("text", "not a database"), ("empty", "is empty"), ("none", "does not exist")]:
        done = restore(tmp_path / file, "--without-digest")
        assert done.returncode == 1 and complaint in done.stderr, done.stderr


def append_byte(file):
    with file.open("ab") as opened:
        opened.write(b"x")


CHANGES = {
    "truncated by a byte": lambda file: os.truncate(file, file.stat().st_size - 1),
    "truncated by a page": lambda file: os.truncate(file, file.stat().st_size - PAGE_BYTES),
    "longer": append_byte,
    **{f"bit flipped at {part}/7": lambda file, part=part: flip(file, file.stat().st_size * part // 7)
       for part in range(7)},
    "last bit flipped": lambda file: flip(file, file.stat().st_size - 1),
}


@embedded
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_backup_is_refused(copy, change):
    change(copy)
    done = restore(copy)
    assert done.returncode == 1 and f"{copy} is not the file that {copy}.sha256 describes" in done.stderr, done.stderr


@embedded
def test_a_backup_without_its_digest_is_refused_unless_the_operator_accepts_it(copy):
    digest = copy.with_name("copy.sha256")
    text = digest.read_text()
    for wrong, complaint in [(hashlib.sha256(b"other").hexdigest() + "  copy\n", "is not the file that"),
                             ("", "is not the SHA-256 of a file"), ("text\n", "is not the SHA-256 of a file"),
                             (text + text, "is not the SHA-256 of a file")]:
        digest.write_text(wrong)
        done = restore(copy)
        assert done.returncode == 1 and complaint in done.stderr, done.stderr
    digest.unlink()
    done = restore(copy)
    assert done.returncode == 1 and "--without-digest" in done.stderr and str(digest) in done.stderr, done.stderr
    assert restore(copy, "--without-digest").returncode == 0


@embedded
def test_a_digest_that_does_not_confirm_the_backup_is_reported_although_it_is_not_compared(copy):
    digest = copy.with_name("copy.sha256")
    for text, warning in [(digest.read_text(), None),
                          (hashlib.sha256(b"other").hexdigest() + "  copy\n",
                           f"finality: warning: {copy} is not the file that {digest} describes"),
                          ("text\n", f"finality: warning: {digest} is not the SHA-256 of a file")]:
        digest.write_text(text)
        done = restore(copy, "--without-digest")
        assert done.returncode == 0 and ((warning or "finality: warning") in done.stderr) == bool(warning), done
        copy.with_name("new.db").unlink()


@embedded
def test_a_backup_can_be_renamed_with_its_digest(copy):
    copy.with_name("copy.sha256").rename(copy.with_name("night.sha256"))
    assert restore(copy.rename(copy.with_name("night"))).returncode == 0


@embedded
def test_a_damaged_page_of_any_table_or_index_is_refused_without_the_digest_too(copy):
    intact = copy.read_bytes()
    pages = pages_of(copy)
    assert {"table orders", "index payments_due"} <= pages.keys() and len(pages) > 40, pages
    for name, page in pages.items():
        copy.write_bytes(intact)
        overwrite(copy, page)
        done = restore(copy, "--without-digest")
        assert done.returncode == 1 and f"{name}: " in done.stderr, (name, done)


@embedded
def test_an_error_names_the_backup_and_not_its_temporary_copy(copy):
    overwrite(copy, 1)
    damaged = restore(copy, "--without-digest")
    assert f"the backup {copy} cannot be restored: " in damaged.stderr and ".unfinished" not in damaged.stderr, damaged
    copy.write_bytes(b"")
    for options in [[], ["--without-digest"]]:
        empty = restore(copy, *options)
        assert f"{copy} is empty, so it is no backup" in empty.stderr and ".unfinished" not in empty.stderr, empty


@embedded
def test_the_copy_of_an_interrupted_restore_is_not_removed_as_its_own_backup(copy):
    copied = copy.with_name("new.db.unfinished")
    copied.write_bytes(copy.read_bytes())
    refused = finality("restore", "--store", f"sqlite:{copy.with_name('new.db')}", "--from", copied, "--without-digest")
    assert refused.returncode == 1 and f"{copied} is the copy of a restore that was interrupted" in refused.stderr, refused
    assert copied.read_bytes() == copy.read_bytes()


@embedded
def test_a_refused_restore_names_the_mark_of_an_earlier_damaged_store(copy):
    store, mark = copy.with_name("new.db"), copy.with_name("new.db.damaged")
    intact = copy.read_bytes()
    mark.write_text("database disk image is malformed (11)\n")
    overwrite(copy, 1)
    refused = finality("restore", "--store", f"sqlite:{store}", "--from", copy)
    assert refused.returncode == 1 and f"The file {mark} remains" in refused.stderr, refused
    assert mark.exists() and not store.exists()
    copy.write_bytes(intact)
    assert restore(copy).returncode == 0 and store.exists() and not mark.exists()


@embedded
def test_a_damaged_store_fails_the_check_and_is_not_backed_up(copy):
    pages = pages_of(copy)
    for name in ["index payments_due", "table payments"]:
        damaged = copy.with_name(name.replace(" ", "-"))
        shutil.copy(copy, damaged)
        overwrite(damaged, pages[name])
        checked = finality("verify", "--store", f"sqlite:{damaged}")
        assert checked.returncode == 1, checked
        assert f"VIOLATION 0 tables and indexes are undamaged and agree: {name}: " in checked.stdout, checked.stdout
        assert "NOT CHECKED: the invariants of the rows" in checked.stdout, checked.stdout
        backup = finality("backup", "--store", f"sqlite:{damaged}", "--to", copy.with_name("second"))
        assert backup.returncode == 1 and name in backup.stderr, backup
        assert not list(copy.parent.glob("second*"))


def redefine_index(file, name, sql):
    """Replaces the definition of an index without changing its content. Returns the previous definition."""
    with contextlib.closing(sqlite3.connect(file)) as store, store:
        [(before,)] = store.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,))
        store.execute("PRAGMA writable_schema = ON")
        store.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, name))
    return before


@embedded
def test_an_index_that_disagrees_with_its_table_is_found(copy):
    """Every page is valid, so `PRAGMA quick_check` finds nothing."""
    index = "payments_by_order"
    before = redefine_index(copy, index, f"CREATE INDEX {index} ON payments (order_id) WHERE order_id IS NULL")
    with contextlib.closing(sqlite3.connect(copy)) as store, store:
        store.execute("UPDATE payments SET order_id = order_id + 1 WHERE id = (SELECT max(id) FROM payments)")
    redefine_index(copy, index, before)
    with contextlib.closing(sqlite3.connect(copy)) as store:
        assert store.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        assert store.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    checked = finality("verify", "--store", f"sqlite:{copy}")
    assert checked.returncode == 1 and f": index {index}: row " in checked.stdout, checked.stdout
    done = restore(copy, "--without-digest")
    assert done.returncode == 1 and f"index {index}: " in done.stderr, done.stderr


@embedded
def test_a_store_that_is_in_use_is_no_backup(copy):
    copy.with_name("copy-wal").write_bytes(b"frames")
    done = restore(copy, "--without-digest")
    assert done.returncode == 1 and f"{copy}-wal contains changes" in done.stderr, done.stderr


def test_a_password_is_not_repeated(tmp_path):
    for verb in [["backup", "--to"], ["restore", "--from"]]:
        (tmp_path / "file").write_text("") if verb[0] == "restore" else None
        done = finality(verb[0], "--store", "postgress://me:geheim@db/books", verb[1], tmp_path / "file")
        assert done.returncode == 1 and "invalid store URL" in done.stderr and "geheim" not in done.stderr

"""The disk beside a measurement: whether it stood still."""

import os
import pathlib
import threading
import time

EVERY_S = 0.005
READS, WRITES, IN_FLIGHT, DISCARDS, FLUSHES = 0, 4, 8, 11, 15  # columns of the kernel's Documentation/block/stat.rst


class DiskWatch:
    """While its block runs: the longest time in which the disk under a directory had work and finished none of it. It
    only reads what the kernel counts."""

    def __init__(self, directory):
        device = os.stat(directory).st_dev
        self._counts = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._finished = self._since = None
        self.longest_ms = None  # where the kernel counts nothing for the directory, as in memory

    def __enter__(self):
        if self._counts.exists():
            self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self):
        while not self._over.wait(EVERY_S):
            self.see(time.monotonic(), [int(text) for text in self._counts.read_text().split()])

    def see(self, now, counts):
        """What the kernel had counted at an instant. Old ones count no flushes."""
        finished = sum(counts[i] for i in (READS, WRITES, DISCARDS, FLUSHES) if i < len(counts))
        if counts[IN_FLIGHT] == 0 or finished != self._finished:
            self._finished, self._since = finished, now
        self.longest_ms = max(self.longest_ms or 0, (now - self._since) * 1000)

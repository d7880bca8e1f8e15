"""Detects stalls of the disk during a measurement."""

import os
import pathlib
import threading
import time

EVERY_S = 0.005
READS, WRITES, IN_FLIGHT, DISCARDS, FLUSHES = 0, 4, 8, 11, 15  # columns of the kernel's Documentation/block/stat.rst


class DiskWatch:
    """Context manager that measures the longest time in which the disk of a directory had requests in flight but
    completed none. Only reads the kernel's counters, so it causes no disk load."""

    def __init__(self, directory):
        device = os.stat(directory).st_dev
        self._counts = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._finished = self._since = None
        self.longest_ms = None  # None if the kernel has no counters for the directory (tmpfs)

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
        """Updates `longest_ms` from the kernel's counters at the time `now`, in seconds. Old kernels have no counter of
        flushes."""
        finished = sum(counts[i] for i in (READS, WRITES, DISCARDS, FLUSHES) if i < len(counts))
        if counts[IN_FLIGHT] == 0 or finished != self._finished:
            self._finished, self._since = finished, now
        self.longest_ms = max(self.longest_ms or 0, (now - self._since) * 1000)

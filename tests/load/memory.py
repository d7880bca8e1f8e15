"""Memory of a server while it is attacked."""

import os
import signal
import threading

EVERY_S = 0.05
MEMORY_MAX_MB = int(os.environ.get("FINALITY_LOAD_MEMORY_MB", "400"))


class MemoryWatch:
    """Samples the resident memory of a process until the `with` block ends. Kills a process that uses more than
    MEMORY_MAX_MB, so that it does not exhaust the machine."""

    def __init__(self, server):
        """`server` is a ServerProcess, which the test may restart."""
        self._server = server
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.most_mb = 0
        self.killed = False

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _watch(self):
        while not self._ended.wait(EVERY_S):
            used = self._server.resident_mb()
            self.most_mb = max(self.most_mb, used)
            if used > MEMORY_MAX_MB:
                self.killed = True
                self._server.send(signal.SIGKILL)
                return

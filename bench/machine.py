"""Reports the properties and the load of the machine, which affect all results."""

import os
import statistics
import time

BLOCK = b"x" * 4096


def measure(run):
    run.progress("the machine")
    run.table.add("cores", os.cpu_count(), "")
    run.table.add("load average at the start", os.getloadavg()[0], "")
    run.table.add("fsync after 4 KB appended, median", fsync_ms(run.data, run.choose(3, 1)), "ms")


def fsync_ms(directory, seconds):
    """Returns the median duration of an fsync in ms: the minimum duration of a durable commit on this disk."""
    path = directory / "fsync"
    times = []
    with path.open("wb", buffering=0) as file:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            file.write(BLOCK)
            begin = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - begin)
    path.unlink()
    return statistics.median(times) * 1000

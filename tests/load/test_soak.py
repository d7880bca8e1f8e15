"""The server runs for a long time with slow and idle connections, while its disk, log, clock and process fail in turn.
Nothing acknowledged is lost, the memory stays bounded, and the audit finds no violation.

FINALITY_SOAK_MINUTES sets the duration.
"""

import dataclasses
import os
import time

from load_server import LoadServer, attack
from memory import MEMORY_MAX_MB, MemoryWatch
from soak_world import FAULTS, SoakServer, Writers

MINUTES = float(os.environ.get("FINALITY_SOAK_MINUTES", "20"))
TIME_SCALE = 100  # shortens the pauses between retries, also those of requests that a kill interrupted
IDLE = [f"127.0.0.{number}" for number in range(10, 18)]
SLOW = ["127.0.0.20", "127.0.0.21"]


def test_nothing_acknowledged_is_lost_in_a_long_run(contract, tmp_path):
    seconds = MINUTES * 60
    with LoadServer(tmp_path, contract, tables="[log]\naccess = true", clock=True, server_type=SoakServer,
                    time_scale=TIME_SCALE) as place:
        server = place.server
        target = place.target()
        end = time.monotonic() + seconds
        rounds = 0
        with MemoryWatch(server) as memory, Writers(place.witness) as writers, \
                attack("idle", seconds, dataclasses.replace(target, sources=IDLE)), \
                attack("slow", seconds, dataclasses.replace(target, sources=SLOW)):
            writers.wait_for_more()
            while rounds == 0 or time.monotonic() < end:
                for fault in FAULTS:
                    print(f"{fault.__name__}: {len(writers.orders)} orders acknowledged, most memory "
                          f"{memory.most_mb} MB", flush=True)
                    fault(server, writers)
                    writers.wait_for_more()
                    writers.check_sample()
                    assert writers.problems == []
                rounds += 1
        assert writers.problems == []
        assert not memory.killed, f"the server used more than {MEMORY_MAX_MB} MB"
        writers.check_all()
        server.stop()
        server.verify()
        print(f"{rounds} rounds of {len(FAULTS)} faults, {len(writers.orders)} orders acknowledged and none lost, most "
              f"memory {memory.most_mb} MB")

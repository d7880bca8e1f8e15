"""While one client attacks the server, a second merchant is served: no request fails or takes longer than 2 s, and the
server's memory stays bounded. Prints what the second merchant experienced.

FINALITY_LOAD_SECONDS sets the duration of each attack, FINALITY_LOAD_MEMORY_MB the bound of the memory.
"""

import contextlib
import dataclasses
import os

import pytest

from attacks import ATTACKS
from load_server import LoadServer, attack, key_of, silent_name_server
from memory import MEMORY_MAX_MB, MemoryWatch
from witness import Witness

SECONDS = float(os.environ.get("FINALITY_LOAD_SECONDS", "20"))
LIMITED = """
[rate_limits]
merchant_reads = 200
merchant_writes = 100
"""


@dataclasses.dataclass(frozen=True)
class Load:
    attack: str
    tables: str = ""                   # settings of the server, as TOML tables
    is_without_names: bool = False     # the server's name server does not respond
    expected: frozenset = frozenset()  # statuses that the attacker must receive


LOADS = [
    Load("pipelined_with_key"),
    Load("pipelined_without_key"),
    Load("large_bodies", expected=frozenset({"401"})),
    Load("abandoned_timelines"),
    Load("expensive_pages"),
    Load("unresolvable_webhooks", is_without_names=True, expected=frozenset({"201"})),
    Load("idle"),
    Load("slow"),
    Load("flood", tables=LIMITED, expected=frozenset({"200", "201", "429"})),
    Load("wrong_keys", expected=frozenset({"401", "429"})),
]


@pytest.mark.parametrize("load", LOADS, ids=lambda load: load.attack)
def test_a_second_merchant_is_served_during_the_attack(load, contract, tmp_path):
    assert load.attack in ATTACKS
    with contextlib.ExitStack() as parts:
        name_server = parts.enter_context(silent_name_server()) if load.is_without_names else None
        place = parts.enter_context(LoadServer(tmp_path, contract, tables=load.tables,
                                               first=f'name_servers = ["{name_server}"]' if name_server else ""))
        witness = Witness(place.url, key_of(place.witness))
        target = place.target()
        memory = parts.enter_context(MemoryWatch(place.server))
        with attack(load.attack, SECONDS, target) as statuses:
            witness.run(SECONDS)
        print(f"\n{load.attack}: responses to the attacker {statuses[0]}, most memory {memory.most_mb} MB\n"
              f"{witness.report()}")
        assert not memory.killed, f"the server used more than {MEMORY_MAX_MB} MB"
        assert witness.problems() == []
        assert load.expected <= statuses[0].keys()
        place.server.stop()
        place.server.verify()

"""The server names its threads, so that `top -H` shows their purpose."""

import pathlib

from store_place import SERVER

NAMED = ({"io", "lane", "reader", "health", "scan", "identities", "lookup"}
         | (set() if SERVER else {"notifier", "checkpointer"}))


def test_threads_are_named_after_their_function(server):
    tasks = pathlib.Path(f"/proc/{server.process_id}/task").iterdir()
    assert NAMED <= {(task / "comm").read_text(encoding="ascii").strip() for task in tasks}

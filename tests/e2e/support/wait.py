"""Polls a condition until a deadline."""

import time


def until(condition, what, timeout=15.0, every=0.05, meanwhile=None):
    """Polls `condition()` every `every` seconds until it returns a true value, and returns this value. Fails after
    `timeout` seconds with a message that contains `what`. Calls `meanwhile()` after each unsuccessful poll."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise AssertionError(f"after {timeout} s still waiting until {what}; the last value was {value!r}")
        if meanwhile is not None:
            meanwhile()
        time.sleep(every)

"""Waiting for something to become true, with a deadline."""

import time


def until(condition, what, timeout=15.0, every=0.05, meanwhile=None):
    """Asks `condition` until it answers with something true, and returns that. `what` names it in the failure;
    `meanwhile()` runs after each look that found nothing."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise AssertionError(f"after {timeout} s still waiting until {what}; the last answer was {value!r}")
        if meanwhile is not None:
            meanwhile()
        time.sleep(every)

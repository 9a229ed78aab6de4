"""Wait until something has happened, for as long as a busy machine may need."""

import time
from collections.abc import Callable


def until(done: Callable[[], object], seconds: float = 1200) -> None:
    """Return once ``done()`` is true; fail after this number of seconds."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.1)

"""`deferred_interrupt`: Ctrl-C as a request that the search answers, not as an exception wherever it happens to be."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

__all__ = ["deferred_interrupt"]

# A shell and the program that started this one may both pass on one and the same Ctrl-C.
SAME_SECONDS = 1.0


@contextlib.contextmanager
def deferred_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """While inside, let Ctrl-C call `stop`; only a second one, a second later, raises KeyboardInterrupt.

    An exception can come between any two steps, and what has been found would be lost in many of those places. A
    request is seen wherever the search looks, and it looks everywhere. Only Python's own handler is replaced, and only
    in the main thread: whoever has set another one wants to decide, and in other threads there are no signals.
    """
    if threading.current_thread() is not threading.main_thread() or (
        signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    asked: list[float] = []

    def handle(number: int, frame: FrameType | None) -> None:
        asked.append(time.monotonic())
        if asked[-1] - asked[0] > SAME_SECONDS:
            raise KeyboardInterrupt
        stop()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)

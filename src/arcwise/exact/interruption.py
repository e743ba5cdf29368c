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
    request is seen wherever the search looks, and it looks everywhere. The handler that was there, Python's own or
    another, is called first, and decides: if it raises KeyboardInterrupt, that is the request; if it returns, there is
    none; any other exception is its own business. A signal that is ignored, or that a library in C handles, is left
    alone, and in other threads than the main one there are no signals.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    asked: list[float] = []

    def handle(number: int, frame: FrameType | None) -> None:
        try:
            before(number, frame)
        except KeyboardInterrupt:
            asked.append(time.monotonic())
            if asked[-1] - asked[0] > SAME_SECONDS:
                raise
            stop()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is handle:  # else somebody has set another one meanwhile
            signal.signal(signal.SIGINT, before)

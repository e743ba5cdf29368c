"""What Ctrl-C and SIGTERM do: the work stops in order, what is finished is kept, and nobody sees a traceback.

SIGTERM, which a batch system or `kill` sends, is treated like Ctrl-C: the same handler runs, so that whatever waits for
one hears of the other. Only the exit code differs, 143 instead of 130.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from types import FrameType, TracebackType

# The signals that ask the program to stop, and what it then says.
STOPS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
_asked: list[int] = []
# When Ctrl-C was pressed last, and for how long what goes wrong is taken for its doing.
_interrupted: list[float] = []
AFTERMATH = 1.0  # second


def asked_to_stop(*, lately: bool = False) -> bool:
    """Return whether a signal has ended the work; or, `lately`, Ctrl-C was pressed a moment ago.

    Libraries turn what it raises in one of their imports into errors of their own.
    """
    return bool(_asked) or (lately and bool(_interrupted) and time.monotonic() - _interrupted[0] < AFTERMATH)


def stop_code() -> int:
    """Return the exit code of a program that was stopped: 128 and the number of the first signal."""
    return 128 + (_asked[0] if _asked else signal.SIGINT)


def note_interrupt() -> None:
    """Note a Ctrl-C that came as KeyboardInterrupt from elsewhere."""
    if not _asked:
        _asked.append(signal.SIGINT)


def forget_stops() -> None:
    """Forget earlier signals: a program that is called as a function starts afresh."""
    _asked.clear()
    _interrupted.clear()


def listen() -> None:
    """Treat SIGTERM like Ctrl-C from now on, unless something else handles it."""
    if signal.getsignal(signal.SIGTERM) in (signal.SIG_DFL, leave_at_once):
        signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is leave_at_once:
        signal.signal(signal.SIGINT, _interrupt)


def leave_at_once(number: int, frame: FrameType | None) -> None:
    """End the process where nothing is under way yet that could be kept.

    An exception in the middle of an import is turned into others by some libraries.
    """
    del frame
    message = STOPS[signal.Signals(number)] + "\n"
    os.write(2, message.encode())
    os._exit(128 + number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _interrupted[:] = [time.monotonic()]
    signal.default_int_handler(number, frame)


def _terminate(number: int, frame: FrameType | None) -> None:
    _asked.append(number)
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)
    else:  # ignored, as in the background jobs of a script
        raise KeyboardInterrupt


def last_word(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Be the hook for what nobody caught: a Ctrl-C that came between two lines that listen has no traceback."""
    if issubclass(kind, KeyboardInterrupt):
        leave_at_once(signal.SIGINT, None)
    sys.__excepthook__(kind, error, trace)


def end_quietly() -> None:
    """Let a signal end the process at once from here on: all is written, and only threads are waited for.

    While Python takes its modules down it hears no signal, and what ends it then is no exit code: it ignores them.
    """
    for number in STOPS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, leave_at_once)
            atexit.register(signal.signal, number, signal.SIG_IGN)
    sys.stderr.flush()

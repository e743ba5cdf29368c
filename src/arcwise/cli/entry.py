"""Where the program `arcwise` starts: before anything is imported that takes time."""

from __future__ import annotations

try:
    import os
    import signal
    import sys

    from arcwise.cli.signals import asked_to_stop, end_quietly, leave_at_once, listen, stop_code
except KeyboardInterrupt:
    raise SystemExit(130) from None

__all__ = ["main"]


def main() -> None:
    """Run the command line with the arguments of the process, and end it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, leave_at_once)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, leave_at_once)
    _open_closed_streams()
    try:
        from arcwise.cli.main import main as run
        from arcwise.cli.main import prepare

        prepare()
        listen()
        run()
        code: int | str | None = 0
    except SystemExit as ending:
        code = stop_code() if asked_to_stop() else ending.code
    except BaseException:
        # A library may turn the exception of a signal into another one.
        if not asked_to_stop():
            raise
        code = stop_code()
    end_quietly()
    sys.exit(code)


def _open_closed_streams() -> None:
    """Give standard streams that were closed by whoever started the program to the null device.

    Otherwise the next file that is opened gets their number, and what is meant for the screen is written into it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115

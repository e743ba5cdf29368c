"""Where the program `arcwise` starts: before anything is imported that takes time."""

from __future__ import annotations

try:
    import codecs
    import io
    import os
    import signal
    import sys

    from arcwise.cli.signals import asked_to_stop, end_quietly, last_word, leave_at_once, listen, stop_code
except KeyboardInterrupt:
    raise SystemExit(130) from None


# What Python, numpy, SciPy, pandas and DuckDB map before any work is begun, and some for the work (`arcwise learn` on
# three columns: 1,140 MB). With less, whichever of them comes too late fails in its own way: OpenBLAS tries for ever.
LEAST_ADDRESS_SPACE = 1_250_000_000
# How signs are spelled on a screen that does not have them, such as that of an old Windows (cp1252) or of LANG=C. Both
# signs between the ends of an edge become two letters, so that columns stay in line.
SPELLED = {
    **{"→": "->", "—": "--", "–": "-", "•": "*", "≤": "<=", "≥": ">=", "±": "+/-", "×": "x", "…": "...", "✓": "ok"},
    **dict(zip("▁▂▃▄▅▆▇█─●■·", "_.-=+*%#-o#.", strict=True)),
}


def main() -> None:
    """Run the command line with the arguments of the process, and end it."""
    sys.excepthook = last_word
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, leave_at_once)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, leave_at_once)
    _open_closed_streams()
    _spell_unknown_signs()
    _refuse_narrow_space()
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
        if not asked_to_stop(lately=True):
            raise
        code = stop_code()
    end_quietly()
    sys.exit(code)


def _spell_unknown_signs() -> None:
    """Spell signs that the screen does not have by those that it has; others, such as letters of names, by numbers."""

    def spell(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        lost = error.object[error.start : error.end]
        spelled = "".join(SPELLED.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in lost)
        return spelled, error.end

    codecs.register_error("spelled", spell)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="spelled")


def _refuse_narrow_space() -> None:
    """End with a message if the process may not have the address space that it is sure to need."""
    try:
        import resource
    except ImportError:  # no such limits on Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESS_SPACE:
        print(
            f"MemoryError: arcwise needs {LEAST_ADDRESS_SPACE / 1e6:,.0f} MB of address space, most of it for the "
            f"libraries that it uses; {limit / 1e6:,.0f} MB are allowed. Raise the limit (`ulimit -v`); "
            "--limit-memory bounds what tables take.",
            file=sys.stderr,
        )
        sys.exit(1)


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

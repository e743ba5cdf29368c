"""`RunLock`: one run at a time on a store.

DuckDB's own lock is held only while outcomes are written, so that `status` and `summarize` can read the store of a run
that is under way. This one is held for the whole run, and the system lets go of it however the process ends.
"""

from __future__ import annotations

import contextlib
import os
import socket
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from arcwise.errors import FormatError

__all__ = ["RunLock"]


class RunLock(AbstractContextManager["RunLock"]):
    """The lock next to a store, in a file with the suffix .lock that names the process that holds it."""

    def __init__(self, store: str | os.PathLike[str]) -> None:
        self.path = Path(f"{os.fspath(store)}.lock")
        while True:
            self._open(store)
            if self._is_there():
                break
            self._file.close()  # the run before removed the file after it was opened here: its lock is worth nothing
        self._file.seek(0)
        self._file.truncate()
        self._file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        self._file.flush()

    def _open(self, store: str | os.PathLike[str]) -> None:
        try:
            self._file = self.path.open("a+", encoding="utf-8")
        except OSError as error:
            raise FormatError(f"cannot write {self.path}: {error.strerror}.") from error
        try:
            _lock(self._file.fileno())
        except OSError as error:
            self._file.seek(0)
            who = self._file.read().strip() or "another process"
            self._file.close()
            raise FormatError(
                f"{store} is being run by {who}. Two runs cannot share a store: wait for that one, or stop it; what it "
                "has finished is kept."
            ) from error

    def _is_there(self) -> bool:
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self._file.fileno()))
        except FileNotFoundError:
            return False

    def __exit__(self, *_: Any) -> None:
        self._file.truncate(0)
        with contextlib.suppress(OSError):  # where an open file cannot be removed, an empty one stays
            self.path.unlink()
        self._file.close()


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # not on this system: the user must take care
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

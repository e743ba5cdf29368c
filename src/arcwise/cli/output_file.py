"""Where a result is written; a name that cannot be written is refused before any work is done."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arcwise.errors import FormatError

__all__ = ["OutputOption", "check_file_name", "check_writable"]

OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where to write the result; - for stdout.", show_default=False)
]


def check_file_name(output: Path | None, what: str, suffixes: Sequence[str] = ("",)) -> None:
    """Refuse a name that cannot be written: stdout, another suffix, a missing folder."""
    if output is None:
        return
    if str(output) == "-":
        raise FormatError(f"cannot write {what} to stdout: give a file, e.g. -o {what}.parquet.")
    if not output.name.endswith(tuple(suffixes)):
        raise FormatError(f"cannot write {output}: the name of a file of {what} ends in {', '.join(suffixes)}.")
    check_writable(output)


def check_writable(output: Path) -> None:
    """Refuse a file whose folder is not there or may not be written to, or that is a folder itself."""
    try:
        is_folder, has_folder = output.is_dir(), output.parent.is_dir()
    except (OSError, ValueError) as error:  # a name that no file can have
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(f"cannot write {output}: {reason}.") from None
    if is_folder:
        raise FormatError(f"cannot write {output}: it is a folder. Give a file name.")
    if not has_folder:
        raise FormatError(f"cannot write {output}: there is no folder {output.parent}. Make it first.")
    if not os.access(output.parent, os.W_OK | os.X_OK):
        raise FormatError(f"cannot write {output}: you may not write in the folder {output.parent}.")

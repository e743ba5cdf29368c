"""Where a result is written; a name that cannot be written is refused before any work is done."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arcwise.errors import FormatError

__all__ = ["OutputOption", "check_file_name", "check_writable"]

ANY = ("",)
# Suffixes of files that other programs, or other verbs, would take for something else.
MISLEADING = (".csv", ".tsv", ".json", ".txt", ".dot", ".graphml", ".bif", ".arff", ".jkl", ".arct", ".html", ".xlsx")

OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where to write the result; - for stdout.", show_default=False)
]


def check_file_name(output: Path | None, what: str, suffixes: Sequence[str] = ANY) -> None:
    """Refuse a name that cannot be written: stdout, another suffix, a missing folder."""
    if output is None:
        return
    if str(output) == "-":
        raise FormatError(f"cannot write {what} to stdout: give a file, e.g. -o {what}.parquet.")
    if suffixes == ANY and output.name.lower().removesuffix(".gz").endswith(MISLEADING):
        raise FormatError(
            f"cannot write {output}: {what} are written as .parquet, or under another name such as .{what} in a format "
            "of their own; this suffix means something else."
        )
    if not output.name.endswith(tuple(suffixes)):
        raise FormatError(f"cannot write {output}: the name of a file of {what} ends in {', '.join(suffixes)}.")
    check_writable(output)


def check_writable(output: Path) -> None:
    """Refuse a file whose folder is not there or may not be written to, or that is a folder itself.

    A device or a pipe is written to, not replaced: there only its own permissions count. For a link, those of the
    folder of what it points to do.
    """
    try:
        is_folder, has_folder = output.is_dir(), output.parent.is_dir()
        is_special = output.exists() and not is_folder and not output.is_file()
        folder = Path(os.path.realpath(output)).parent if output.is_symlink() else output.parent
    except (OSError, ValueError) as error:  # a name that no file can have
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(f"cannot write {output}: {reason}.") from None
    if is_folder:
        raise FormatError(f"cannot write {output}: it is a folder. Give a file name.")
    if not has_folder:
        raise FormatError(f"cannot write {output}: there is no folder {output.parent}. Create it first.")
    if is_special and not os.access(output, os.W_OK):
        raise FormatError(f"cannot write {output}: you may not write to it.")
    if not is_special and not os.access(folder, os.W_OK | os.X_OK):
        raise FormatError(f"cannot write {output}: you may not write in the folder {folder}.")

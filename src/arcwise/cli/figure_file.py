"""Figures on the command line: written whole or not at all, the format by the suffix."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from arcwise.errors import FormatError
from arcwise.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["save_figure"]

# Without the date, the same figure is the same bytes.
METADATA = {"png": None, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as .png, .svg or .pdf."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in METADATA:
        raise FormatError(f"cannot write {path}: a figure's name must end in .png, .svg or .pdf.")
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=150, metadata=METADATA[kind])
    write_bytes(path, content.getvalue())

"""Figures on the command line: written whole or not at all, the format by the suffix."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.output_file import check_writable
from arcwise.errors import FormatError
from arcwise.extras import load_figure
from arcwise.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PlotOption", "check_figure_name", "figure_of", "save_figure"]

PlotOption = Annotated[
    Path | None, typer.Option("--plot", help="Write the figure to this file (.png, .svg, .pdf).", show_default=False)
]

# Without the date, the same figure is the same bytes.
METADATA = {"png": None, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def check_figure_name(path: Path | None) -> None:
    """Refuse a name that cannot be written, before any work is done."""
    if path is None:
        return
    if _kind(path) not in METADATA:
        raise FormatError(f"cannot write {path}: a figure's name must end in .png, .svg or .pdf.")
    load_figure()
    check_writable(path)


def figure_of(ax: Axes) -> Figure:
    """Return the figure that axes are in."""
    from matplotlib.figure import Figure

    found = ax.get_figure()
    assert isinstance(found, Figure)
    return found


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as .png, .svg or .pdf."""
    kind = _kind(path)
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=150, metadata=METADATA[kind])
    write_bytes(path, content.getvalue())


def _kind(path: Path) -> str:
    return path.suffix.removeprefix(".").lower()

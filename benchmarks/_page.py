"""The tables of docs/evidence.md: what is measured takes the place of the rows that stand there, one by one."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks._topic import ROOT

PAGE = ROOT / "docs" / "evidence.md"
FIGURES = ROOT / "docs" / "benchmarks"
BEGIN, END = "<!-- measured {} -->", "<!-- end of measured -->"


class PageTable:
    """One table: printed as it grows, and kept on the page if `write` says so.

    A row is known by its first cell; rows keep the order of `keys`, and those that are not measured stay as they are.
    """

    def __init__(self, name: str, header: Sequence[str], keys: Sequence[str], *, write: bool) -> None:
        self.name, self.header, self.keys, self.write = name, header, list(keys), write
        self.rows = {row[0]: row for row in read_table(name)} if write else {}
        self._print(header)
        self._print(["---", *("---:" for _ in header[1:])])

    def add(self, row: Sequence[object]) -> None:
        """Print a row, and write it."""
        told = [str(cell) for cell in row]
        self._print(told)
        self.rows[told[0]] = told
        if self.write:
            replace_table(self.name, self.header, sorted(self.rows.values(), key=lambda own: self.keys.index(own[0])))

    @staticmethod
    def _print(cells: Iterable[str]) -> None:
        print(line_of(cells), flush=True)


def page_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that writes the page."""
    parser.add_argument("--page", action="store_true", help="put what is measured into docs/evidence.md")


def parse_networks(
    parser: argparse.ArgumentParser, arguments: Sequence[str], known: Iterable[str], usual: str
) -> argparse.Namespace:
    """Parse the arguments of a table of networks, of which there may be some named: all with --page, else `usual`."""
    names = list(known)
    parser.add_argument(
        "networks",
        nargs="*",
        metavar="NETWORK",
        help=f"{', '.join(names)} (default: all with --page, else {usual})",
    )
    page_option(parser)
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.networks if name not in names]:
        parser.error(f"unknown networks: {', '.join(unknown)}. Known: {', '.join(names)}.")
    given.networks = given.networks or (names if given.page else [usual])
    return given


def line_of(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _place(text: str, name: str) -> tuple[int, int]:
    begin = text.index(BEGIN.format(name)) + len(BEGIN.format(name))
    return begin, text.index(END, begin)


def read_table(name: str, page: Path = PAGE) -> list[list[str]]:
    """Return the cells of a table of the page, without its header."""
    text = page.read_text(encoding="utf-8")
    begin, end = _place(text, name)
    lines = [line for line in text[begin:end].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def replace_table(name: str, header: Sequence[str], rows: Iterable[Sequence[str]], page: Path = PAGE) -> None:
    text = page.read_text(encoding="utf-8")
    begin, end = _place(text, name)
    lines = [line_of(header), f"|---|{'---:|' * (len(header) - 1)}", *map(line_of, rows)]
    page.write_text(f"{text[:begin]}\n{chr(10).join(lines)}\n{text[end:]}", encoding="utf-8")


def draw(name: str, series: Mapping[str, int], xlabel: str, *, scale: str = "linear") -> None:
    """Draw columns of a table of the page, by their positions, as dots over its first column."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    rows = [row for row in read_table(name) if any(row[column] for column in series.values())]
    labels = [row[0].strip("`") for row in rows]
    with mpl.rc_context({"svg.hashsalt": "arcwise", "svg.fonttype": "none"}):
        figure = Figure(figsize=(6.5, 0.8 + 0.26 * len(rows)), layout="constrained")
        axes = figure.add_subplot()
        for mark, (title, column) in zip("osD", series.items(), strict=False):
            cells = [row[column].replace(",", "").lstrip("+") for row in rows]
            values = [float("nan" if cell == "-" else cell) for cell in cells]
            axes.plot(values, labels, mark, label=title)
        axes.set_xscale(scale)
        axes.invert_yaxis()
        axes.set_xlabel(xlabel)
        axes.grid(axis="x", linewidth=0.4)
        axes.legend()
        figure.savefig(FIGURES / f"evidence-{name}.svg", metadata={"Date": None})

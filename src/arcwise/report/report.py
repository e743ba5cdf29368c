"""`Report`: all that is said about a result, which shows itself as HTML, text or a picture."""

from __future__ import annotations

from dataclasses import dataclass, field

from arcwise.base.showing import one_screen
from arcwise.report.blocks import NetworkView, Section
from arcwise.report.html import network_svg, render_frame, render_html
from arcwise.report.text import render_text


@one_screen
@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. In a notebook it shows itself.

    Parameters
    ----------
    title, subtitle
        The heading, and a line below it.
    facts
        Short facts for the top: (label, value).
    summary
        The answer in a few sentences.
    glossary
        The words that the report uses, each with what it means.
    network
        The network view.
    sections
        Everything else.
    """

    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...]
    summary: tuple[str, ...]
    network: NetworkView
    sections: tuple[Section, ...] = field(default=())
    glossary: tuple[tuple[str, str], ...] = ()

    def to_html(self) -> str:
        """Return one self-contained HTML page: no other file and no network access."""
        return render_html(self)

    def to_text(self, *, width: int = 100, color: bool = False) -> str:
        """Return the report as text for a terminal, with colour codes if asked for."""
        return render_text(self, width=width, color=color)

    def to_svg(self, *, numbers: bool = True) -> str:
        """Return a picture of the network at its cut-off, with or without the confidences on the edges."""
        return network_svg(self.network, numbers=numbers)

    def _repr_html_(self) -> str:
        return render_frame(self)

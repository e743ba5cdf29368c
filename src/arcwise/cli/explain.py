"""`arcwise explain`: edges in plain words."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arcwise.base.errors import FormatError, OptionError, suggestion
from arcwise.base.options import option
from arcwise.cli.options import DataVerb, DiscreteOptions, TableOptions
from arcwise.cli.output import AnswerVerb, FolderOrGraphArgument, open_folder
from arcwise.cli.verb import Result, given_options
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.report.explanation import Explanation, explain_folder, explain_graph
from arcwise.report.sections import variable_answer

ARROWS = ("->", "→", "--", "—", "<-")
WIDEST = 100


class Explain(DataVerb, AnswerVerb):
    """Explain a variable or edges in plain words: how far to trust them, where they point, and what to do.

    For one variable of a folder of `arcwise learn`: what it depends on, by how far that can be trusted and how much it
    matters; its Markov blanket; what remains open; -o writes the table. For edges, the strongest first: what its report
    says about each, the rules that keep it, and the network's table. For a single network and data: what goes with
    what, and whether the prior decides it; how far it can be trusted is then unknown. You can also ask about pairs
    without an edge.

    Example: arcwise explain survey-report 'smoke->cough'
    """

    source: FolderOrGraphArgument
    edge: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="X|EDGE",
            help="A variable: what it depends on; or an edge, e.g. 'smoke->cough' or 'smoke--cough', or two names; "
            "default: all edges of the network.",
            show_default=False,
        ),
    ] = None
    data: Path | None = option(None, "for a graph file: the data to explain its edges with")

    def _run(self) -> Result:
        words = self.edge or []
        if self.data is None and self.source.is_dir() and len(words) == 1 and words[0] in self._names():
            self._refuse_reading()
            return self._explain_variable(words[0])
        if self.output is not None or self.markdown:
            raise OptionError(
                "--output and --markdown are for one variable of a folder: arcwise explain DIR X -o x.csv"
            )
        if self.data is None:
            if not self.source.is_dir() and self.source.exists():
                raise OptionError(
                    f"{self.source} is a file: give the folder of `arcwise learn`, or the data with --data."
                )
            self._refuse_reading()
            found = explain_folder(self.source, _pairs(words, self._names()) if words else None)
        else:
            if self.source.is_dir():
                raise OptionError(
                    f"--data is for a graph file; {self.source} is a folder, which has everything that is needed. "
                    "Leave it out."
                )
            given, cases = self.open_with_data(self.source, self.data)
            graph = given.graph(cases.names)
            pairs = _pairs(words, graph.names) if words else None
            found = explain_graph(graph, cases, pairs, network=given.network)
        payload = {"source": self.source, "edges": (item.to_dict() for item in found)}
        return Result(payload, lambda: _print(found))

    def _explain_variable(self, name: str) -> Result:
        found = open_folder(self.source).variable(name)
        return self.answer(
            variable_answer(found),
            found.to_frame(),
            source=self.source,
            variable=name,
            blanket=found.blanket,
            blankets=[{"variables": names, "share": share} for names, share in found.blankets],
            known_bits=found.known,
            entropy_bits=found.entropy,
            open=[one.name for one in found.open],
        )

    def _refuse_reading(self) -> None:
        if any(given_options(self, TableOptions, DiscreteOptions)):
            raise OptionError(
                "--column, --drop, --separator, --categorical and --interventions say how --data is read; there is "
                "none."
            )

    def _names(self) -> tuple[str, ...]:
        if not self.source.is_dir():
            raise FormatError(f"{self.source}: no such folder; `arcwise learn DATA -o {self.source}` would write it.")
        return EdgeConfidence.load(self.source / "confidence.parquet").names


def _pairs(words: Sequence[str], names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs that are asked for: words with an arrow, or names two by two."""
    pairs: list[tuple[str, str]] = []
    waiting: str | None = None
    for word in words:
        if word in names:
            if waiting is None:
                waiting = word
            else:
                pairs.append((waiting, word))
                waiting = None
            continue
        parts = _split(word, names)
        if waiting is not None or parts is None:
            raise OptionError(suggestion("variable", word, names))
        pairs.append(parts)
    if waiting is not None:
        raise OptionError(
            f"an edge has two ends; '{waiting}' has no partner. Give {waiting}--OTHER, two names, or {waiting} alone "
            "with a folder of `arcwise learn`."
        )
    return pairs


def _split(word: str, names: Sequence[str]) -> tuple[str, str] | None:
    """Return the two names that an arrow joins; names may hold what looks like an arrow."""
    candidates = []
    for arrow in ARROWS:
        position = word.find(arrow)
        while position >= 0:
            one, other = word[:position].strip(), word[position + len(arrow) :].strip()
            candidates.append((other, one) if arrow == "<-" else (one, other))
            position = word.find(arrow, position + 1)
    for pair in candidates:
        if all(name in names for name in pair):
            return pair
    for pair in candidates:
        wrong = next(name for name in pair if name not in names)
        raise OptionError(suggestion("variable", wrong, names))
    return None


def _print(found: Sequence[Explanation]) -> None:
    if not found:
        typer.echo("The network has no edge: no pair is above the cut-off. Ask for a pair to see how close it comes.")
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns) if sys.stdout.isatty() else WIDEST
    for number, item in enumerate(found):
        if number:
            typer.echo()
        typer.echo(item.title)
        for sentence in item.sentences:
            typer.echo(textwrap.fill(sentence, width, initial_indent="  ", subsequent_indent="  "))

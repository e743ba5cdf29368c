"""`arcwise explain`: edges in plain words."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.base.errors import OptionError, suggestion
from arcwise.base.options import option
from arcwise.cli.options import DataOptions, read_data_for
from arcwise.cli.output import AnswerOptions, GraphFile, open_folder, open_graph_file, print_json

if TYPE_CHECKING:
    from arcwise.report.explanation import Explanation

ARROWS = ("->", "→", "--", "—", "<-")
WIDEST = 100


def explain(
    source: Annotated[
        Path, typer.Argument(metavar="DIR|NETWORK", help="A folder of `arcwise learn`; or, with --data, a graph file.")
    ],
    edge: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="X|EDGE",
            help="A variable: what it depends on; or an edge, e.g. 'smoke->cough' or 'smoke--cough', or two names; "
            "default: all edges of the network.",
            show_default=False,
        ),
    ] = None,
    data: Path | None = option(None, "for a graph file: the data to explain its edges with"),
    *,
    reading: DataOptions,
    printing: AnswerOptions,
) -> None:
    """Explain a variable or edges in plain words: how far to trust them, where they point, and what to do.

    For one variable of a folder of `arcwise learn`: what it depends on, by how far that can be trusted and how much it
    matters; its Markov blanket; what remains open; -o writes the table. For edges, the strongest first: what its report
    says about each, the rules that keep it, and the network's table. For a single network and data: what goes with
    what, and whether the prior decides it; how far it can be trusted is then unknown. You can also ask about pairs
    without an edge.

    Example: arcwise explain survey-report 'smoke->cough'
    """
    from arcwise.report.explanation import explain_folder, explain_graph

    printing.check()
    if data is None and source.is_dir() and len(edge or ()) == 1 and (edge or [""])[0] in _names(source):
        _refuse_reading(reading)
        _explain_variable(source, (edge or [""])[0], printing)
        return
    if printing.output is not None or printing.markdown:
        raise OptionError("--output and --markdown are for one variable of a folder: arcwise explain DIR X -o x.csv")
    if data is None:
        if not source.is_dir() and source.exists():
            raise OptionError(f"{source} is a file: give the folder of `arcwise learn`, or the data with --data.")
        _refuse_reading(reading)
        found = explain_folder(source, None if not edge else _pairs(edge, _names(source)))
    else:
        if source.is_dir():
            raise OptionError(
                f"--data is for a graph file; {source} is a folder, which has everything that is needed. Leave it out."
            )
        if str(source) == str(data) == "-":
            raise typer.BadParameter("only one of the network and the data can come from stdin.")
        given: GraphFile = open_graph_file(source)
        cases = read_data_for(given, data, reading, printing.progress)
        graph = given.graph(cases.names)
        pairs = None if not edge else _pairs(edge, graph.names)
        found = explain_graph(graph, cases, pairs, network=given.network)
    if printing.as_json:
        print_json({"source": source, "edges": [item.to_dict() for item in found]})
    else:
        _print(found)


def _explain_variable(folder: Path, name: str, printing: AnswerOptions) -> None:
    from arcwise.report.sections import variable_answer

    found = open_folder(folder).variable(name)
    printing.give(
        variable_answer(found),
        found.to_frame(),
        source=folder,
        variable=name,
        blanket=list(found.blanket),
        blankets=[{"variables": list(names), "share": share} for names, share in found.blankets],
        known_bits=found.known,
        entropy_bits=found.entropy,
        open=[one.name for one in found.open],
    )


def _refuse_reading(reading: DataOptions) -> None:
    if reading != DataOptions():
        raise OptionError(
            "--column, --drop, --separator, --categorical and --interventions say how --data is read; there is none."
        )


def _names(folder: Path) -> tuple[str, ...]:
    from arcwise.base.errors import FormatError
    from arcwise.confidence.edge_confidence import EdgeConfidence

    if not folder.is_dir():
        raise FormatError(f"{folder}: no such folder; `arcwise learn DATA -o {folder}` would write it.")
    return EdgeConfidence.load(folder / "confidence.parquet").names


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

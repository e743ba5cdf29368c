"""bnlearn's model strings, R's way to write a network in one line: ``[A][B|A][C|A:B]``.

A node stands in brackets, after a bar its parents, with colons between them. bnlearn writes nodes in an order of its
own, parents first; here they keep the order of the variables, which bnlearn's ``model2network`` reads as well. The
format has no quotation marks: a name with ``[ ] | :`` or with white space at an end is refused.
"""

from __future__ import annotations

import re

from arcwise.errors import FormatError, GraphError
from arcwise.graph.dag import Dag

__all__ = ["format_model_string", "parse_model_string"]

# Every alternative is linear in the text: no backtracking.
_NODE = re.compile(r"\s*+\[([^\[\]|:]++)(?:\|([^\[\]|]*+))?\]")
_MARKS = frozenset("[]|:")


def format_model_string(dag: Dag) -> str:
    """Return bnlearn's model string of a DAG.

    >>> format_model_string(Dag.from_parents({"A": [], "B": ["A"], "C": ["A", "B"]}))
    '[A][B|A][C|A:B]'
    """
    for name in dag.names:
        if _MARKS & set(name) or name != name.strip():
            raise FormatError(
                f"the name {name!r} cannot stand in a model string: it has one of [ ] | : or white space at an end. "
                "Rename it with Dag.relabel."
            )
    parents = (":".join(dag.parents_of(name)) for name in dag.names)
    return "".join(
        f"[{name}|{given}]" if given else f"[{name}]" for name, given in zip(dag.names, parents, strict=True)
    )


def parse_model_string(text: str, *, source: str = "model string") -> Dag:
    """Return the DAG of a model string, its nodes in the order of the string; `source` is what errors call it.

    >>> parse_model_string("[A][C|A:B][B|A]").arcs
    (('A', 'C'), ('B', 'C'), ('A', 'B'))
    """
    parents: dict[str, list[str]] = {}
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _NODE.match(text, position)
        if match is None:
            line = text.count("\n", 0, position) + 1
            column = position - text.rfind("\n", 0, position)
            raise FormatError(
                f"{source}, line {line}, column {column}: expected [NODE] or [NODE|PARENT:PARENT], found "
                f"{text[position : position + 20]!r}."
            )
        name = match[1].strip()
        if not name or name in parents:
            raise FormatError(f"{source}: {f'the node {name!r} is there twice' if name else 'a node has no name'}.")
        parents[name] = [parent.strip() for parent in match[2].split(":")] if (match[2] or "").strip() else []
        position = match.end()
    if not parents:
        raise FormatError(f"{source}: there is no node; a model string is like [A][B|A].")
    try:
        return Dag.from_parents(parents)
    except GraphError as error:
        raise error.within(f"{source}:", kind=FormatError) from None

"""How many equivalence classes a credible set has, and whether they can be had as wholes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcwise.deadline import Deadline
from arcwise.ensemble.diagram.credible_diagram import CredibleDiagram
from arcwise.ensemble.diagram.listing import iterate_chunks
from arcwise.ensemble.joint_constraints import has_own_limits
from arcwise.errors import ArcwiseError, GuaranteeError
from arcwise.graph import Constraints, FixedPairs
from arcwise.graph.fixed_pairs import native_pairs
from arcwise.limits import Status
from arcwise.mentions import Argument, Either, Remedy
from arcwise.parent_sets import ParentSetTable

__all__ = ["check_classes", "count_classes", "has_whole_classes"]

VOUCH_FOR_CLASSES = Either("table.vouched(equivalent=True)", Argument("trust_table", True))
LIST_DAGS = Remedy("list DAGs:", Argument("by", "dag"))

# More networks than this are not listed for the sake of counting their classes, unless limits.count allows for more.
LARGEST_LISTED = 50_000_000
# Up to this many networks, listing them all is cheaper than a diagram of the classes.
FEW = 20_000


def has_whole_classes(table: ParentSetTable) -> bool:
    """Say whether the table holds all members of a class with one score: that is, whether the score is equivalent.

    A limit on parents forbids all members of a class or none: they are joined by reversing covered arcs (Chickering
    1995, Theorem 2), which swaps the numbers of parents of the two ends.
    """
    if table.equivalent is not None or "name" not in table.score:
        return table.equivalent is True
    from arcwise.scores import SCORES, make_score

    # A table of a file that does not say it: the facts of a score may depend on its parameters.
    options = dict(table.score)
    name = str(options.pop("name"))
    try:
        return make_score(name, **options).facts.equivalent
    except (ArcwiseError, TypeError):  # it takes an object, such as a prior network, or is not arcwise's
        return name in SCORES and "beliefs" not in options and SCORES[name].FACTS.equivalent


def count_classes(
    diagram: CredibleDiagram,
    count: int,
    classes: Callable[[], CredibleDiagram],
    *,
    fixed: FixedPairs | None,
    whole: bool,
    deadline: Deadline,
    most: int | None = None,
) -> int | None:
    """Return the number of equivalence classes among the `count` networks of a diagram of DAGs.

    A few networks are listed and grouped by the key of their class. So are many where classes are not whole; where they
    are, the diagram of the classes is counted. None if that would be too many (the limit of count, or
    `LARGEST_LISTED`), or another limit was reached, or as soon as there are more than `most`.
    """
    if not diagram.table.n_variables:
        return count  # there is one network, without a node to find its class by
    if whole and count > FEW:
        return _count_diagram(classes(), deadline, most)
    if count > _most_listed(deadline):
        return None
    from arcwise import _core

    table = diagram.table
    pairs = native_pairs(fixed)
    known: NDArray[np.void] = np.empty(0, dtype="V16")
    fresh: list[NDArray[np.void]] = []
    pending = 0
    for choices, _ in iterate_chunks(diagram):
        if deadline.is_over:
            return None
        rows = choices.astype(np.int64) + table.node_offsets[:-1]
        keys = _core.graph.class_keys_of_rows(rows, table.set_offsets, table.members, pairs)
        fresh.append(np.unique(np.ascontiguousarray(keys).view("V16").ravel()))
        pending += len(fresh[-1])
        if pending > len(known):
            known, fresh, pending = np.unique(np.concatenate([known, *fresh])), [], 0
    return len(np.unique(np.concatenate([known, *fresh])))


def _count_diagram(classes: CredibleDiagram, deadline: Deadline, most: int | None) -> int | None:
    """Count the classes of a diagram of classes: its paths, or those paths that stand for a class of their own."""
    if classes.status is not Status.COMPLETE:
        return None
    sums = classes.sums(limits=deadline.limits)
    if sums.status is not Status.COMPLETE or classes.rank is None:
        return sums.count if sums.status is Status.COMPLETE else None
    if sums.count > _most_listed(deadline):
        return None
    count = 0
    for _, losses in iterate_chunks(classes):
        count += len(losses)
        if deadline.is_over or (most is not None and count > most):
            return None
    return count


def _most_listed(deadline: Deadline) -> int:
    return max(LARGEST_LISTED, deadline.given.count or 0)


def check_classes(table: ParentSetTable, obeyed: Constraints | None) -> None:
    """Refuse to work with classes where the members of a class may score differently or be missing."""
    if has_own_limits(obeyed):
        raise GuaranteeError(
            "equivalence classes cannot be enumerated as wholes under limits on the parents of single variables, "
            "which may leave out some members of a class and not others.",
            remedies=LIST_DAGS,
        )
    if has_whole_classes(table):
        return
    if table.equivalent is None and "name" not in table.score:
        raise GuaranteeError(
            "equivalence classes need a score that gives their members the same value; this table does not say "
            "which score it holds.",
            remedies=(Remedy("vouch for it with", VOUCH_FOR_CLASSES), LIST_DAGS),
        )
    raise GuaranteeError(
        f"{table.score.get('name', 'the score')} gives the members of an equivalence class different values, so "
        "classes cannot be enumerated as wholes.",
        remedies=LIST_DAGS,
    )

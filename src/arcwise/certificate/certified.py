"""`check_certificate`: ask the checker (`checker.py`), and say its verdict in arcwise's nouns."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction

from arcwise.base.errors import CertificateError, FormatError, unreadable
from arcwise.base.showing import one_screen
from arcwise.certificate.checker import Refused, Table, check, read_certificate, read_table
from arcwise.graph.dag import Dag
from arcwise.parent_sets.table import ParentSetTable

# A table of parent sets as the checker takes it: names and lists.


def plain_table(table: ParentSetTable) -> Table:
    """Return the table as names and, for each variable, (score, parents) pairs."""
    scores, ends, members = table.scores.tolist(), table.set_offsets.tolist(), table.members.tolist()
    rows = [(scores[row], tuple(members[ends[row] : ends[row + 1]])) for row in range(table.n_rows)]
    return list(table.names), [[rows[row] for row in table.rows_of(node)] for node in range(table.n_variables)]


Arc = tuple[str, str]


@one_screen
@dataclass(frozen=True)
class Certified:
    """What an accepted certificate proves.

    Parameters
    ----------
    dag, score
        The network, and exactly the sum of the table's scores of its parent sets.
    bound
        No network of the table that satisfies the constraints scores higher; exact, too.
    required, forbidden
        The arcs that every network has to have, and those that none may have (tiers forbid arcs). Nothing is said about
        other networks.
    max_parents
        For each variable the largest number of parents, where that is limited.
    steps
        How many steps the proof has: 1 for each problem that the search looked at.
    """

    dag: Dag
    score: Fraction
    bound: Fraction
    required: tuple[Arc, ...]
    forbidden: tuple[Arc, ...]
    max_parents: dict[str, int]
    steps: int

    @property
    def gap(self) -> Fraction:
        """How much better another network can be at most; 0, or the rounding of the search's numbers, if optimal."""
        return self.bound - self.score


def check_certificate(table: ParentSetTable | str | os.PathLike[str], certificate: str | os.PathLike[str]) -> Certified:
    """Check a certificate that `certify_optimal` wrote, in exact arithmetic and without any part of the search.

    Parameters
    ----------
    table
        The table that the certificate is about: a file (.jkl or .arct, also with .gz), or the table itself. What
        pruning left out of the table is not part of the certificate.
    certificate
        The file with the certificate (.json or .json.gz).

    Raises
    ------
    CertificateError
        If the certificate does not prove what it states, or is about another table.
    """
    try:
        rows = plain_table(table) if isinstance(table, ParentSetTable) else read_table(os.fspath(table))
        found = check(rows, read_certificate(os.fspath(certificate)))
    except Refused as refusal:
        raise CertificateError(f"{certificate} is refused: {refusal}.") from None
    except OSError as error:
        raise FormatError(unreadable(error.filename or certificate, error)) from None
    rules = found.required, found.forbidden, found.most_parents
    return Certified(Dag.from_arcs(found.names, found.arcs), found.score, found.bound, *rules, found.steps)

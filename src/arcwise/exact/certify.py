"""`certify_optimal`: the best network, and a file with the proof for a program that trusts nothing but the table."""

from __future__ import annotations

import json
import os
from typing import Any

from arcwise.certificate import checker
from arcwise.certificate.plain import plain_table
from arcwise.data import Dataset
from arcwise.deadline import Deadline
from arcwise.errors import FormatError
from arcwise.exact.optimal import SearchOptions, search_table
from arcwise.exact.optimum import Optimum
from arcwise.exact.proof import ProofRecord, Step
from arcwise.files import write_bytes
from arcwise.graph import Constraints, Dag
from arcwise.limits import Limits
from arcwise.parent_sets import ParentSetTable
from arcwise.progress import ProgressCallback
from arcwise.seeds import Seed

__all__ = ["certify_optimal"]

SUFFIXES = (".json", ".json.gz")
# Of a time limit; published instances take about a third of the search's time, or less, to be checked.
SEARCH_SHARE = 0.75


def certify_optimal(
    table: ParentSetTable,
    path: str | os.PathLike[str],
    *,
    data: Dataset | None = None,
    constraints: Constraints | None = None,
    limits: Limits = Limits(),  # noqa: B008
    seed: Seed = 0,
    progress: bool | ProgressCallback | None = None,
) -> Optimum:
    """Find the network with the highest score, and write a proof that there is none better.

    The search is `find_optimal` by branch and bound. What it did is written down as steps, which prove the bound in
    exact arithmetic (`arcwise.certificate`): any program can check them, and whoever trusts none can write one.
    Before it is written, the certificate is checked, so that its figures are those that every checker will find. When a
    limit was reached, it proves the bound that had been reached.

    Parameters
    ----------
    table
        The candidate parent sets. The certificate is about the networks that it allows; what pruning left out of the
        table is not part of it.
    path
        Where to write it, as .json or .json.gz.
    data
        The data behind the table: the result's score is then recomputed from them.
    constraints
        Required and forbidden arcs, tiers, parent limits; they are part of what is certified.
    limits
        As of `find_optimal`; the memory limit is for what is recorded, too. A quarter of the time is kept for checking.
    seed
        As of `find_optimal`.
    progress
        As of `find_optimal`.

    Raises
    ------
    ConstraintError
        If no acyclic network in the table satisfies the constraints.

    Examples
    --------
    >>> from arcwise.certificate import check_certificate
    >>> from arcwise.parent_sets import ParentSetTable
    >>> table = ParentSetTable.from_lists(["a", "b"], [[(-3.0, ()), (-1.0, (1,))], [(-2.5, ()), (-1.0, (0,))]])
    >>> optimum = certify_optimal(table, path, progress=False)  # doctest: +SKIP
    >>> check_certificate(table, path).gap  # doctest: +SKIP
    Fraction(0, 1)
    """
    if not str(path).endswith(SUFFIXES):
        raise FormatError(f"cannot write {path}: the name of a certificate ends in .json or .json.gz.")
    record = ProofRecord()
    deadline = Deadline.of(limits).share(SEARCH_SHARE)
    options = SearchOptions("branch-and-bound", deadline, 1, seed, progress)
    optimum, first = search_table(table, data, constraints, options, record)
    plain = plain_table(table)
    content = _content(plain, constraints, optimum.dag, first, record)
    checked = checker.derive(plain, content)
    content |= {"score": str(checked.score), "bound": str(checked.bound)}
    content["digest"] = checker.digest_of(content)
    write_bytes(path, json.dumps(content, separators=(",", ":")).encode())
    return optimum


def _content(
    table: checker.Table, constraints: Constraints | None, dag: Dag, first: Step, record: ProofRecord
) -> dict[str, Any]:
    """Return the certificate without its figures: what is stated, and the steps that prove it."""
    names, n = dag.names, dag.n_nodes
    known = Constraints(names) if constraints is None else constraints.reorder(names)
    rules = {
        what: [[u for u in range(n) if u != v and masks[v] >> u & 1] for v in range(n)]
        for what, masks in (("required", known.required_masks), ("forbidden", known.forbidden_masks))
    }
    cuts, tables = _cuts(record)
    return {
        "format": checker.FORMAT,
        "variables": list(names),
        "table": checker.table_digest(table),
        **rules,
        "most parents": [min(limit, n) for limit in known.limits],
        "network": [list(dag.parents[v]) for v in range(n)],
        "tables": tables,
        "cuts": cuts,
        "steps": [_step(step, record.unit) for step in first.walk()],
    }


def _cuts(record: ProofRecord) -> tuple[list[list[Any]], list[list[str]]]:
    """Return the cuts, and the tables of those on four variables."""
    from arcwise import _core

    coefficients = _core.exact.facet_coefficients().reshape(-1, 4, 16).tolist()
    used: dict[int, int] = {}
    cuts: list[list[Any]] = []
    for code, members in record.cuts:
        if code > 0:
            cuts.append(["cluster", code, list(members)])
        else:
            cuts.append(["table", used.setdefault(-code - 1, len(used)), list(members)])
    return cuts, [["".join(map(str, row)) for row in coefficients[facet]] for facet in used]


def _step(step: Step, unit: float) -> dict[str, Any]:
    """Return a step: what stands below it comes after it in the list."""
    content: dict[str, Any] = {}
    rounds = []
    for proof in step.rounds:
        weights = [int(m * unit * 2**checker.FRACTION_BITS) for m in proof.multipliers.tolist()]
        used = [(cut, weight) for cut, weight in zip(proof.cuts.tolist(), weights, strict=True) if weight]
        rounds.append({"cuts": [cut for cut, _ in used], "weights": [weight for _, weight in used]})
    if rounds:
        content["rounds"] = rounds
    if step.branch is not None:
        content["branch"] = list(step.branch)
    elif step.groups is not None:
        content["groups"] = step.groups
    return content

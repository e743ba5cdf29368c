"""Rows from several sites: one structure, tables that are alike and not the same, and where an edge holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from arcwise.base.errors import Argument, DataError, OptionError, Remedy
from arcwise.data.dataset import Dataset
from arcwise.findings.edge_record import EdgeRecord
from arcwise.findings.options import LearnOptions
from arcwise.findings.preparation import Prepared
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.scores.dirichlet import Bhd
from arcwise.scores.registry import make_score

ALONE = "bdeu"  # what BHD is of one site


def with_site(prepared: Prepared, options: LearnOptions) -> tuple[Prepared, LearnOptions]:
    """Return the options under which the column of sites is a parent of every other one, and what was done in words.

    How alike the sites are is estimated from all pairs of columns.
    """
    if options.site is None:
        return prepared, options
    data, site = prepared.data, Argument("site", options.site)
    if options.site not in data.names:
        why = "names no column that is left to learn from."
        raise DataError(
            site, why, remedies=Remedy("name one of the columns, or keep it with", Argument("keep", [options.site]))
        )
    if not isinstance(data, Dataset):
        raise OptionError(
            site, "needs data without gaps.", remedies=Remedy("fill them first:", Argument("impute", "knn"))
        )
    if options.site in prepared.learned_cut:
        why = "holds numbers, which were cut; a column of sites has a value for each."
        raise DataError(
            site, why, remedies=Remedy("take its values for states:", Argument("categories", [options.site]))
        )
    sites = int(data.arities[data.index(options.site)])
    others = [name for name in data.names if name != options.site]
    arcs = [(options.site, name) for name in others]
    score = Bhd.of(data.independent(), options.site) if options.score is None else options.chosen_score
    assert isinstance(score, Bhd)
    known = Constraints.of(data.names, options.constraints, required=arcs)
    step = (
        f"Took the {sites} values of column '{options.site}' for sites: one structure for all, and tables of its own "
        f"for each. What all share counts as {score.alike:g} rows in each."
    )
    return replace(prepared, steps=(*prepared.steps, step)), replace(options, score=score, constraints=known)


def with_sites(edges: Iterable[EdgeRecord], data: Dataset, dag: Dag, score: object) -> tuple[EdgeRecord, ...]:
    """Return the edges with the number of sites whose rows alone show them, given the head's other parents.

    In a site with few rows an edge need not show: that it holds in some is what speaks for it.
    """
    if not isinstance(score, Bhd) or score.site is None:
        return tuple(edges)
    alone, found = make_score(ALONE, ess=score.ess), []
    codes = data.codes[data.index(score.site)]
    parts = [data.take(np.flatnonzero(codes == code)).independent() for code in np.unique(codes)]
    for edge in edges:
        if score.site in (edge.first, edge.second):
            found.append(edge)
            continue
        head, tail = data.index(edge.head), data.index(edge.tail)
        given = {data.index(name) for name in dag.parents_of(edge.head)} - {tail, data.index(score.site)}
        families = [(head, (*given, tail)), (head, tuple(given))]
        gains = [-float(np.diff(alone.score_families(part, families))[0]) for part in parts]
        found.append(replace(edge, sites=f"{sum(gain > 0 for gain in gains)} of {len(parts)}"))
    return tuple(found)

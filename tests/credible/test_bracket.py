"""What is proved of the best network does not depend on how large its score is."""

from __future__ import annotations

import dataclasses
import math

import pytest
from tests.posterior.chain_tables import random_table

from arcwise.credible.diagram import Bracket
from arcwise.ensemble import CredibleSet
from arcwise.exact import find_optimal
from arcwise.limits import Status
from arcwise.parent_sets.build import centred


@pytest.mark.parametrize("shift", [0.0, -1e9 / 3])
@pytest.mark.parametrize("seed", range(5))
def test_a_bound_proves_what_it_reaches(shift: float, seed: int) -> None:
    table = random_table(5, seed)
    table = dataclasses.replace(table, scores=table.scores + shift)
    best = CredibleSet.build(table, log_slack=1.0).bracketed
    assert best is not None and best.status is Status.COMPLETE and best.gap == 0.0
    assert best.score == find_optimal(table).score
    rows = CredibleSet.build(table, log_slack=1.0).diagram().bracket
    assert rows is not None
    near, constant = centred(table)
    reached = math.fsum(near.scores[rows.rows].tolist())
    proved = Bracket(rows.rows, reached).optimum(table, None, Status.TIME_LIMIT)
    assert proved is not None and proved.status is Status.COMPLETE and proved.upper_bound == proved.score
    above = Bracket(rows.rows, reached + 5e-7).optimum(table, None, Status.TIME_LIMIT)
    assert above is not None and above.status is Status.TIME_LIMIT
    assert above.upper_bound == max(reached + 5e-7 + constant, above.score) and above.gap >= 0.0

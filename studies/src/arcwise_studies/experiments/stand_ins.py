"""Samples that stand in for Lau & Bush's lost data sets A and B, drawn by a rule.

The seeds 1, 2, 3, ... of a kind of random network are gone through in order, each with one sample, and the first twelve
samples are taken whose optima have as many parameters as the paper prints for its own networks (section 5.2.2): 7 with
BIC and 8 or 9 with BD for A, 20 or 21 with BIC for B, where 19 to 23 are accepted. Nothing else about a sample is
looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice

from arcwise.exact import find_optimal
from arcwise.local.run_analysis import count_parameters
from arcwise.parent_sets import build_parent_sets
from arcwise_studies.experiments.lau import problem_data
from arcwise_studies.sources import Sources

__all__ = ["STAND_INS", "StandIns"]


@dataclass(frozen=True)
class StandIns:
    """The rule: random networks up to their seed, the cases of a sample, and the parameters of each score's optimum."""

    networks: str
    cases: int
    parameters: Mapping[str, range]

    def draw(self, number: int, seed: int) -> list[str]:
        """Return the first so many problems that the rule accepts, of a study with the given seed."""
        return list(islice(self._accepted(seed), number))

    def _accepted(self, seed: int) -> Iterator[str]:
        for drawn in count(1):
            problem = f"{self.networks},seed={drawn}@{self.cases}"
            if all(self._parameters(problem, score, seed) in wanted for score, wanted in self.parameters.items()):
                yield problem

    @staticmethod
    def _parameters(problem: str, score: str, seed: int) -> int:
        data = problem_data(problem, Sources(), seed)
        table = build_parent_sets(data, score, threads=1, progress=False)
        return count_parameters(data, find_optimal(table, data=data, threads=1, progress=False).dag)


STAND_INS = {
    "A": StandIns("random:nodes=4,max_degree=3", 100, {"bic_laplace": range(7, 8), "k2": range(8, 10)}),
    "B": StandIns("random:nodes=8,mean_parents=1.25", 5000, {"bic_laplace": range(19, 24)}),
}

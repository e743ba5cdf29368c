"""`arcwise bootstrap`: one network from each of many resampled data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arcwise.base.options import Common, option, row, rows
from arcwise.bootstrap.bootstrap import BootstrapSettings, bootstrap_networks
from arcwise.cli.options import DataArgument, LearningVerb, ScoreOptions, TimeLimit
from arcwise.cli.output import NetworksFileVerb
from arcwise.cli.verb import Result, facts
from arcwise.recipes.bootstrap import BootstrapOptions
from arcwise.sampled.numeric_data import WAYS, Cutting, NumericData

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset, Incomplete


class Bootstrap(LearningVerb, TimeLimit, NetworksFileVerb):
    """Learn a network from each of many resampled data sets, for `arcwise confidence`.

    Prints how strong each edge is: the share of the networks that have it, and how often in that direction.

    Example: arcwise bootstrap survey.csv --score bdeu --replicates 200 --seed 1 -o networks.parquet
    """

    data: DataArgument
    scored: ScoreOptions = rows(ScoreOptions)
    replicates: int = row(BootstrapOptions, "replicates", help="how many networks to learn")
    settings: BootstrapSettings = rows(BootstrapSettings)
    recut: str | None = option(
        None, f"cut columns of numbers, anew in each replicate: {', '.join(WAYS[:-1])} or {WAYS[-1]}", choices=WAYS
    )
    bins: int = row(Common, "bins", of="--recut")
    target: str | None = option(None, "the class column", of="--recut mdl")
    seed: int = row(Common, "seed")

    def _run(self) -> Result:
        score, limits = self.scored.make(), self.limits
        cases: Dataset | Incomplete | NumericData
        if self.recut is not None:
            cutting = Cutting(self.recut, self.bins, self.target, max_parents=self.max_parents, seed=self.seed)
            cases, known = self.read_uncut(self.data, self, score, cutting)
        elif self.impute == "completions":
            cases, known = self.read_incomplete(self.data, self, score)
        else:
            cases, known = self.read_known(self.data, self, score)
        self.tell_idle(score, known)
        networks = bootstrap_networks(
            cases,
            replicates=self.replicates,
            score=score,
            constraints=known,
            max_parents=self.max_parents,
            seed=self.seed,
            settings=self.settings,
            limits=limits,
            progress=self.progress,
        )
        if self.output is not None:
            networks.save(self.output)
        arcs = networks.arc_probabilities()
        strength = np.minimum(arcs + arcs.T, 1.0)  # sums of many weights
        tails, heads = np.triu_indices(len(networks.names), 1)
        order = np.argsort(-strength[tails, heads], kind="stable")
        edges = [
            {
                "from": networks.names[a if arcs[a, b] >= arcs[b, a] else b],
                "to": networks.names[b if arcs[a, b] >= arcs[b, a] else a],
                "strength": float(strength[a, b]),
                "direction": float(max(arcs[a, b], arcs[b, a]) / strength[a, b]),
            }
            for a, b in ((int(tails[k]), int(heads[k])) for k in order)
            if strength[a, b] > 0
        ]
        took = networks.facts.get("seconds")
        payload = {
            "networks": len(networks),
            "replicates": self.replicates,
            **facts(networks, "origin", "status", "score"),
            **({} if (cut := networks.facts.get("cut")) is None else {"cut": cut}),
            "seed": self.seed,
            "seconds": took,
            "edges": edges,
        }
        lines = [f"{one['from']} -> {one['to']}  {one['strength']:.4f}  {one['direction']:.4f}" for one in edges]
        note = "" if networks.complete else f"; stopped: {networks.status}"
        remark = f"{len(networks)} of {self.replicates} networks in {took:.2f} s{note}"
        return Result(payload, lines or "# no edge is in any network", remark, status=networks.status)

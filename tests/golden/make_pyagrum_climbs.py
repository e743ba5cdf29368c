"""Write pyagrum_climbs.json: the BIC of what pyAgrum's local searches find on samples of known networks.

    python tests/golden/make_pyagrum_climbs.py

The samples are drawn by arcwise (`BayesianNetwork.sample`) from ../shared/data/networks, with seeds on which the search
was not designed; pyAgrum learns with the score BIC, no prior, no parent limit, from the empty network; both scores are
recomputed by arcwise.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pyagrum

from arcwise.data import Dataset
from arcwise.graph import Dag
from arcwise.model import read_bif
from arcwise.scores import make_score

HERE = Path(__file__).resolve().parent
NETWORKS = HERE.parents[2] / "shared" / "data" / "networks"
NAMES = ("child", "insurance", "water", "mildew", "alarm", "barley", "hailfinder", "hepar2", "win95pts")
CASES, SEEDS = (1000, 5000), (31, 32)


def learn(data: Dataset, method: str) -> float:
    template = pyagrum.BayesNet()
    for name, states in zip(data.names, data.states, strict=True):
        template.add(pyagrum.LabelizedVariable(name, name, list(states)))
    learner = pyagrum.BNLearner(data.to_dataframe().astype(str), template)
    learner.useScoreBIC()
    learner.useNoPrior()
    learner.setNumberOfThreads(1)
    getattr(learner, method)()
    found = learner.learnDAG()
    names = {learner.idFromName(name): name for name in data.names}
    return make_score("bic").score_network(
        data, Dag.from_arcs(data.names, [(names[a], names[b]) for a, b in found.arcs()])
    )


def main() -> None:
    golden: dict[str, Any] = {"pyagrum": pyagrum.__version__, "networks": {}}
    for name in NAMES:
        network = read_bif(NETWORKS / f"{name}.bif.gz")
        samples = golden["networks"][name] = []
        for cases, seed in itertools.product(CASES, SEEDS):
            data = network.sample(cases, seed=seed, progress=False)
            samples.append(
                {
                    "cases": cases,
                    "seed": seed,
                    "digest": data.digest,
                    "hill-climbing": learn(data, "useGreedyHillClimbing"),
                    "tabu": learn(data, "useLocalSearchWithTabuList"),
                }
            )
    (HERE / "pyagrum_climbs.json").write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

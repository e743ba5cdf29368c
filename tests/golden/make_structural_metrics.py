"""Makes structural_metrics.json: essential graphs and distances by pyAgrum 3.3.1, for tests/evaluate.

python tests/golden/make_structural_metrics.py > tests/golden/structural_metrics.json
"""

from __future__ import annotations

import json
import random

import pyagrum as gum


def random_arcs(n: int, density: float, rng: random.Random) -> list[tuple[int, int]]:
    order = rng.sample(range(n), n)
    return [(order[i], order[j]) for j in range(n) for i in range(j) if rng.random() < density]


def network(n: int, arcs: list[tuple[int, int]]) -> gum.BayesNet:
    bn = gum.BayesNet()
    for v in range(n):
        bn.add(gum.LabelizedVariable(f"v{v}", "", 2))
    for tail, head in arcs:
        bn.addArc(tail, head)
    return bn


def perturb(n: int, arcs: list[tuple[int, int]], rng: random.Random) -> list[tuple[int, int]]:
    """Drop, reverse and add a few arcs, where the result stays acyclic."""
    bn = network(n, [])
    changed = [arc if rng.random() < 0.8 else arc[::-1] for arc in arcs if rng.random() < 0.85]
    changed += [tuple(rng.sample(range(n), 2)) for _ in range(3)]
    kept = []
    for tail, head in changed:
        try:
            if not bn.existsArc(tail, head):
                bn.addArc(tail, head)
                kept.append((tail, head))
        except gum.GumException:
            pass
    return kept


def main() -> None:
    rng = random.Random(20)
    cases = []
    for n, density in [(6, 0.3)] * 10 + [(7, 0.5)] * 10 + [(12, 0.25)] * 10 + [(80, 0.03)] * 4:
        true = random_arcs(n, density, rng)
        learned = perturb(n, true, rng)
        first, second = network(n, true), network(n, learned)
        graph = gum.EssentialGraph(first)
        metrics = gum.StructuralMetrics()
        metrics.compare(first, second)
        cases.append(
            {
                "nodes": n,
                "true": true,
                "learned": learned,
                "arcs": sorted(graph.arcs()),
                "edges": sorted(tuple(sorted(edge)) for edge in graph.edges()),
                "shd": int(metrics.shd()),
                "shd_skeleton": int(metrics.shd_skeleton()),
                "skeleton": [int(metrics.tp_skeleton()), int(metrics.fp_skeleton()), int(metrics.fn_skeleton())],
                "f_score_skeleton": metrics.f_score_skeleton(),
            }
        )
    command = "python tests/golden/make_structural_metrics.py > tests/golden/structural_metrics.json"
    print(json.dumps({"tool": f"pyagrum {gum.__version__}", "command": command, "cases": cases}))


if __name__ == "__main__":
    main()

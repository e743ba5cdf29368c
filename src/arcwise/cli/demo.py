"""`make demo`: the main job on an embedded data set, from data to the arcs to trust, with its files in demo-output/."""

from __future__ import annotations

import json
import math
from pathlib import Path

from arcwise import datasets
from arcwise.confidence import choose_threshold, consensus_network, edge_confidence
from arcwise.data import write_data
from arcwise.ensemble import find_credible
from arcwise.files import write_text
from arcwise.graph import write_graphml
from arcwise.model import fit_parameters
from arcwise.parent_sets import build_parent_sets, write_jkl

__all__ = ["main"]

BAYES_FACTOR = 20


def main() -> None:
    """Run the demo and say where its output is."""
    folder = Path("demo-output")
    folder.mkdir(exist_ok=True)
    data = datasets.load("tic-tac-toe")
    print(f"data: tic-tac-toe, {data.n_variables} variables, {data.n_cases} final boards")
    write_data(data, folder / "tic-tac-toe.csv")

    table = build_parent_sets(data, "bic", slack=math.log(BAYES_FACTOR))
    write_jkl(folder / "table.jkl", table)
    print(f"parent sets: {table.n_rows} can be in a network within a Bayes factor of {BAYES_FACTOR} of the best (BIC)")

    networks = find_credible(table, bayes_factor=BAYES_FACTOR)
    networks.save(folder / "networks.parquet")
    print(f"credible set: {networks.count} networks within a Bayes factor of {BAYES_FACTOR} of the optimum,")
    print(f"              whose score is {networks.opt:.6f}; complete: {networks.complete}")

    confidence = edge_confidence(networks, n_cases=data.n_cases)
    confidence.save(folder / "confidence.parquet")
    threshold = choose_threshold(confidence, "cost", alpha=1)
    consensus = consensus_network(confidence, threshold)
    labels = {(edge.tail, edge.head): edge.present for edge in consensus.edges}
    write_graphml(folder / "network.graphml", consensus.cpdag, labels=labels)
    fit_parameters(consensus.dag, data).write_bif(folder / "network.bif")
    print(f"arcs to trust, above {threshold.value:g} (a missed edge and an extra edge cost the same):")
    for edge in consensus.edges:
        sign = {"kept": "->", "undirected": "--", "dropped": "-x"}[edge.fate]
        print(f"  {edge.tail:>12} {sign} {edge.head:<12} {edge.present:.3f}")

    summary = {
        "optimum": networks.opt,
        "networks": networks.count,
        "complete": networks.complete,
        "threshold": threshold.value,
        "edges": [[edge.tail, edge.head, edge.present, edge.fate] for edge in consensus.edges],
    }
    write_text(folder / "summary.json", json.dumps(summary, indent=2) + "\n")
    print(f"written to {folder}/: {', '.join(sorted(path.name for path in folder.iterdir()))}")


if __name__ == "__main__":
    main()

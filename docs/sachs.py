"""Make the tables of benchmarks/experiments.md from the published data: `python docs/sachs.py [SHARED]` rewrites it.

SHARED is the folder of reference data beside the checkout. A test compares the page with what this script would write.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from arcwise.confidence import EdgeConfidence, consensus_network, edge_confidence, next_experiment
from arcwise.data import Dataset, discretize, read_table
from arcwise.ensemble import CredibleSet
from arcwise.graph import Dag, Pdag
from arcwise.model import read_bif
from arcwise.parent_sets import build_parent_sets

PAGE = Path(__file__).resolve().parent / "benchmarks" / "experiments.md"
MARK = re.compile(r"(<!-- sachs (?P<what>\w+) -->\n)(?P<body>.*?)(<!-- sachs end -->)", re.DOTALL)

# What each condition sets, and whether it inhibits (0, low) or stimulates (2, high); the others set none of the eleven.
SETS = {
    "cd3cd28_aktinhib": ("Akt", 0),
    "cd3cd28_g0076": ("PKC", 0),
    "cd3cd28_psitect": ("PIP2", 0),
    "cd3cd28_u0126": ("Mek", 0),
    "b2camp": ("PKA", 2),
    "pma": ("PKC", 2),
}
OTHERS = ("cd3cd28", "cd3cd28icam2", "cd3cd28_ly")
SCORES = ("bdeu:ess=1", "bic", "qnml")
TITLES = {"bdeu:ess=1": "BDeu (ess 1)", "bic": "BIC", "qnml": "qNML (3 parents)"}
CUTOFF = 0.5
# The network that bnlearn's tutorial gives, as printed by jef.works (2016): averaged over 500 tabu searches from random
# starts with the score mbde (BDeu without the cases in which the child was set), threshold 0.85.
BNLEARN = (
    "PKC>Raf Plcg>PIP3 PKC>PIP3 PKC>PKA Raf>Mek PKA>Mek PKC>Mek Plcg>PIP2 PIP3>PIP2 PKA>Erk Raf>Akt Mek>Akt Erk>Akt "
    "PKA>Akt Mek>Jnk PKA>Jnk PKC>Jnk PKA>P38 PKC>P38 Jnk>P38"
)


def read(shared: Path) -> tuple[Dataset, Dataset, Dag]:
    """Return the data as measured, the data with the values that were set, and the consensus network."""
    path = shared / "data" / "other" / "sachs_all_conditions.csv.gz"
    raw = read_table(path, progress=False)
    conditions = {label: name for label, (name, _) in SETS.items()} | dict.fromkeys(OTHERS, "")
    table = discretize(raw.with_interventions("condition", conditions), method="quantile", bins=3)
    data = table.to_dataset()
    column = raw.column("condition")
    labels = np.array(column.labels)[column.codes]
    codes = np.array(data.codes)
    for label, (name, state) in SETS.items():
        codes[data.index(name), labels == label] = state
    truth = read_bif(shared / "data" / "networks" / "sachs.bif.gz").dag
    return data, Dataset(codes, data.names, data.states, None, data.targets), truth


def learned(data: Dataset, score: str) -> tuple[CredibleSet, EdgeConfidence]:
    """Return the credible set of a Bayes factor of 20, and the confidence of each edge."""
    slack = math.log(20)
    most = 3 if score == "qnml" else None
    table = build_parent_sets(data, score, slack=slack, max_parents=most, progress=False)
    found = CredibleSet.build(table, log_slack=slack, progress=False)
    return found, edge_confidence(found)


def counts(graph: Pdag | Dag, truth: Dag) -> tuple[int, int, int, int, int]:
    """Return how many arcs are right, reversed and open, and how many edges are extra and missed."""
    arcs, edges = set(graph.arcs), _open_edges(graph)
    true, skeleton = set(truth.arcs), {frozenset(arc) for arc in truth.arcs}
    found = {frozenset(arc) for arc in arcs} | edges
    turned = {(b, a) for a, b in arcs}
    return len(arcs & true), len(turned & true), len(edges & skeleton), len(found - skeleton), len(skeleton - found)


def published() -> Dag:
    """Return bnlearn's averaged network."""
    arcs = [tuple(text.split(">")) for text in BNLEARN.split()]
    return Dag.from_arcs(sorted({name for arc in arcs for name in arc}), arcs)  # type: ignore[arg-type]


def markdown(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    names = list(header)
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def make(shared: Path) -> dict[str, str]:
    """Return the tables by their names on the page."""
    measured, with_values, truth = read(shared)
    versions = {
        "observations alone (2,603 cells)": measured.observations(),
        "all cells, experiments not told": measured.with_targets(None),
        "experiments told, values as measured": measured,
        "values that were set, experiments not told": with_values.with_targets(None),
        "**values that were set, experiments told**": with_values,
    }
    rows, graphs = [], {}
    for name, data in versions.items():
        for score in SCORES:
            found, confidence = learned(data, score)
            graph = consensus_network(confidence, CUTOFF).cpdag
            graphs[name, score] = graph
            rows.append((name, TITLES[score], f"{found.count:,}", *counts(graph, truth)))
    rows.append(("bnlearn's tutorial, 5,400 cells", "mbde (iss 1)", "500 runs", *counts(published(), truth)))
    header = ("data", "score", "networks", "right", "reversed", "open", "extra", "missed")
    names = list(versions)
    shown = {
        "not told": graphs[names[1], SCORES[0]],
        "told, as measured": graphs[names[2], SCORES[0]],
        "told, values set": graphs[names[4], SCORES[0]],
        "bnlearn": published(),
    }
    arcs = [(f"{a} → {b}", *(_word(graph, a, b) for graph in shown.values())) for a, b in sorted(truth.arcs)]
    observed, _ = learned(measured.observations(), SCORES[0])
    plan = next_experiment(observed)
    lines = [(row["set"], f"{row['settles']:.2f}") for row in plan.to_frame().to_dict(orient="records")]
    return {
        "counts": markdown(header, rows),
        "arcs": markdown(("arc of the consensus network", *shown), arcs),
        "next": f"On average {plan.open_now:.1f} directions are open.\n\n"
        + markdown(("set", "settles"), [line for line in lines if float(line[1]) >= 0.05]),
    }


def _word(graph: Pdag | Dag, tail: str, head: str) -> str:
    if (tail, head) in graph.arcs:
        return "→"
    if (head, tail) in graph.arcs:
        return "← (reversed)"
    return "— (open)" if frozenset((tail, head)) in _open_edges(graph) else "not found"


def _open_edges(graph: Pdag | Dag) -> set[frozenset[str]]:
    return set() if isinstance(graph, Dag) else {frozenset(edge) for edge in graph.edges}


def regenerated(text: str, shared: Path) -> str:
    """Return the page with its tables made anew."""
    tables = make(shared)
    return MARK.sub(lambda found: f"{found[1]}\n{tables[found['what']]}\n{found[4]}", text)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE.parents[3] / "shared"
    PAGE.write_text(regenerated(PAGE.read_text(encoding="utf-8"), folder), encoding="utf-8")

"""benchpress's script for arcwise: data and settings come in `snakemake`, a graph, a time and "None" tests go out.

Snakemake puts lines of its own before the first one, so that there can be no import from __future__.
"""

import csv
import time
from pathlib import Path
from typing import Any

import arcwise
from arcwise.confidence import consensus_network, edge_confidence
from arcwise.graph import Dag
from arcwise.limits import Limits, Status


def read(path: str) -> arcwise.Dataset:
    """Read benchpress's discrete data: names, the numbers of states, cases as codes from 0."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        names, sizes, *rows = csv.reader(file)
    states = [[str(state) for state in range(int(float(size)))] for size in sizes]
    return arcwise.Dataset.from_codes(
        [[int(float(value)) for value in row] for row in rows if row], names=names, states=states
    )


def learn(data: arcwise.Dataset, settings: dict[str, Any]) -> tuple[Dag | None, Status]:
    """Return the graph that the settings ask for, and whether it is finished."""
    score = settings["score"]
    if score == "bdeu":
        score = f"bdeu:ess={settings['ess'] or 1}"
    limits = Limits(seconds=settings["timeout"])
    most = None if settings["max_parents"] is None else int(settings["max_parents"])
    answer, seed = settings["answer"], int(settings["seed"] or 0)
    if answer == "climb":
        found = arcwise.hill_climb(data, score, max_parents=most, seed=seed, limits=limits, progress=False)
        return found.dag, found.status
    if answer == "optimum":
        table = arcwise.build_parent_sets(data, score, max_parents=most, limits=limits, progress=False)
        best = arcwise.find_optimal(table, limits=limits, progress=False)
        return best.dag, best.status if table.status is Status.COMPLETE else table.status
    own: dict[str, Any] = {
        "credible": {"bayes_factor": settings["bayes_factor"] or 20},
        "posterior": {},
        "bootstrap": {"replicates": int(settings["replicates"] or 200)},
    }[answer]
    recipe = arcwise.ensemble.Recipe.of(answer, score, max_parents=most, **own)
    networks = recipe.run(data, seed=seed, limits=limits, progress=False)
    if networks.status is not Status.COMPLETE:
        return None, networks.status
    confidence = edge_confidence(networks)
    cut = 0.5 if settings["cut_off"] is None else settings["cut_off"]
    return consensus_network(confidence, cut).dag, networks.status


def main(snakemake: Any) -> None:
    """Learn, and write what benchpress reads."""
    numbers = ("ess", "max_parents", "bayes_factor", "replicates", "cut_off", "timeout")
    given = dict(snakemake.wildcards)
    settings: dict[str, Any] = {name: None if given[name] == "None" else float(given[name]) for name in numbers}
    settings |= {"answer": given["answer"], "score": given["score"], "seed": given.get("seed", 0)}
    data = read(snakemake.input["data"])
    begin = time.perf_counter()
    dag, status = learn(data, settings)
    seconds = time.perf_counter() - begin
    with Path(snakemake.output["adjmat"]).open("w", encoding="utf-8", newline="") as file:
        if dag is not None and status is Status.COMPLETE:  # empty: it did not end in time
            csv.writer(file, lineterminator="\n").writerows([dag.names, *dag.to_adjacency().tolist()])
    Path(snakemake.output["time"]).write_text(str(seconds), encoding="utf-8")
    Path(snakemake.output["ntests"]).write_text("None", encoding="utf-8")


if "snakemake" in globals():
    main(globals()["snakemake"])

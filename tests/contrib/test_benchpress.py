"""The module for benchpress, run as benchpress runs it: wildcards, an input file, three output files."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from arcwise.graph import Dag, read_graph_csv
from arcwise.model import BayesianNetwork

MODULE = Path(__file__).resolve().parents[2] / "contrib" / "benchpress" / "arcwise"
# What benchpress's template for algorithms has.
FILES = {"bibtex.bib", "docs.rst", "info.json", "rule.smk", "schema.json", "script.py"}
INFO = {
    *("title", "title_full", "version", "package", "docs_url", "outputs", "graph_types", "meta_description"),
    *("data_types", "data_missingness", "intervention_types", "mcmc", "edge_constraints", "language"),
}
SETTINGS = {
    "answer": "optimum",
    "score": "bdeu",
    "ess": "1",
    "max_parents": "None",
    "bayes_factor": "20",
    "replicates": "20",
    "cut_off": "0.5",
    "timeout": "600",
    "seed": "1",
}

# What benchpress does not put into the paths of results, and so into the wildcards: settings of other steps.
TAKEN = {"active", "burnin_frac", "mcmc_estimator", "seed", "standardized", "threshold"}


@pytest.fixture
def network() -> BayesianNetwork:
    dag = Dag.from_parents({"a": [], "b": ["a"], "c": ["b"], "d": []})
    tables = [[[0.4, 0.6]], [[0.9, 0.1], [0.15, 0.85]], [[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]], [[0.5, 0.5]]]
    return BayesianNetwork(dag, [["0", "1"], ["0", "1"], ["0", "1", "2"], ["0", "1"]], tables)


def run(folder: Path, network: BayesianNetwork, **settings: str) -> tuple[Path, dict[str, str]]:
    """Run the script on data in benchpress's format: names, numbers of states, cases."""
    data = network.sample(400, seed=3, progress=False)
    lines = [",".join(data.names), ",".join(map(str, data.arities.tolist()))]
    lines += [",".join(map(str, row)) for row in np.asarray(data.codes).T.tolist()]
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    outputs = {name: str(folder / f"{name}.out") for name in ("adjmat", "time", "ntests")}
    given = SimpleNamespace(wildcards=SETTINGS | settings, input={"data": str(folder / "data.csv")}, output=outputs)
    preamble = "import sys; sys.path.extend([])\n"  # snakemake writes such lines, and then the script, to one file
    (folder / "script.py").write_text(preamble + (MODULE / "script.py").read_text())
    runpy.run_path(str(folder / "script.py"), init_globals={"snakemake": given})
    return folder / "adjmat.out", {name: Path(path).read_text() for name, path in outputs.items()}


@pytest.mark.parametrize("answer", ["optimum", "credible", "posterior", "bootstrap", "climb"])
def test_every_answer_is_a_graph_with_the_true_edges(answer: str, network: BayesianNetwork, tmp_path: Path) -> None:
    path, written = run(tmp_path, network, answer=answer)
    graph = read_graph_csv(path)
    assert isinstance(graph, Dag)
    assert graph.cpdag == network.dag.cpdag
    assert float(written["time"]) > 0
    assert written["ntests"] == "None"


def test_what_does_not_end_in_time_is_an_empty_graph(network: BayesianNetwork, tmp_path: Path) -> None:
    _, written = run(tmp_path, network, answer="bootstrap", timeout="0.000001")
    assert written["adjmat"] == ""


def test_the_folder_is_what_benchpress_asks_for() -> None:
    assert {path.name for path in MODULE.iterdir() if path.is_file()} == FILES
    assert set(json.loads((MODULE / "info.json").read_text())) == INFO
    schema = json.loads((MODULE / "schema.json").read_text())
    item = schema["items"]
    assert (schema["type"], schema["uniqueItems"], item["additionalProperties"]) == ("array", True, False)
    assert set(item["required"]) == set(item["properties"]) == (set(SETTINGS) - {"seed"}) | {"id"}
    assert set(item["examples"][0]) == set(item["properties"])
    rule = (MODULE / "rule.smk").read_text()
    for words in (
        "alg_input_data()",
        "alg_output_adjmat_path(module_name)",
        "alg_output_time_path",
        "alg_output_ntests_path",
    ):
        assert words in rule
    readme = (MODULE.parent / "README.md").read_text()
    examples = json.loads("{" + re.search(r"```json\n(.*?)```", readme, re.DOTALL)[1] + "}")["arcwise"]  # type: ignore[index]
    assert all(set(example) == set(item["properties"]) for example in examples)


def test_no_setting_has_a_name_that_benchpress_takes_for_itself() -> None:
    settings = json.loads((MODULE / "schema.json").read_text())["items"]["properties"]
    assert set(settings) - {"id"} == set(SETTINGS) - {"seed"}
    assert not TAKEN & set(settings)

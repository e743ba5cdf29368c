"""The verbs sample and fit, on files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arcwise.base.arrays import read_parquet
from arcwise.data import Dataset, read_data
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork, fit_parameters, parse_bif, read_bif, write_bif

Cli = Callable[..., str]


@pytest.fixture
def network(tmp_path: Path) -> Path:
    made = BayesianNetwork(
        Dag.from_arcs(["rain", "wet grass"], [("rain", "wet grass")]),
        [["no", "yes"], ["dry", "wet, very", "never"]],
        [[[0.8, 0.2]], [[0.9, 0.1, 0], [0.05, 0.95, 0]]],
    )
    write_bif(made, tmp_path / "rain.bif.gz")
    return tmp_path / "rain.bif.gz"


def rows_of(path: Path, states: dict[str, tuple[str, ...]]) -> Dataset:
    return read_data(path, states=states)


def test_sampled_rows_are_those_of_the_library(cli: Cli, network: Path, tmp_path: Path) -> None:
    expected = read_bif(network).sample(200, seed=7)
    states = dict(zip(expected.names, expected.states, strict=True))
    for name in ("rows.csv", "rows.csv.gz", "rows.tsv"):
        facts = json.loads(
            cli("sample", network, "--rows", 200, "--seed", 7, "-o", tmp_path / name, "--json", "--threads", 2)
        )
        assert facts["rows"] == 200
        assert facts["digest"] == expected.digest == rows_of(tmp_path / name, states).digest
    assert gzip.decompress((tmp_path / "rows.csv.gz").read_bytes()) == (tmp_path / "rows.csv").read_bytes()
    cli("sample", network, "--rows", 200, "--seed", 7, "-o", tmp_path / "rows.parquet")
    frame, _ = read_parquet(tmp_path / "rows.parquet")
    assert frame["wet grass"].astype(str).tolist() == expected.to_dataframe()["wet grass"].astype(str).tolist()
    printed = cli("sample", network, "--rows", 200, "--seed", 7)
    assert printed == (tmp_path / "rows.csv").read_text()
    assert printed == cli("sample", network, "--rows", 200, "--seed", 7, "-o", "-")
    assert printed != cli("sample", network, "--rows", 200, "--seed", 8)


def test_fit_takes_the_states_of_the_structure(cli: Cli, network: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    cli("sample", network, "--rows", 5000, "-o", rows)
    true = read_bif(network)
    states = dict(zip(true.names, true.states, strict=True))
    expected = fit_parameters(true.dag, rows_of(rows, states), estimator="bd", ess=4)
    facts = json.loads(cli("fit", network, rows, "--ess", 4, "-o", tmp_path / "fitted.bif", "--json"))
    assert read_bif(tmp_path / "fitted.bif") == expected
    assert facts["log_likelihood"] == pytest.approx(expected.log_likelihood(rows_of(rows, states)))
    assert facts["undefined_rows"] == 0
    assert parse_bif(cli("fit", network, rows, "--ess", 4)) == expected
    # From the data alone the state that is never seen does not exist.
    observed = parse_bif(cli("fit", network, rows, "--states-from", "data"))
    assert observed.states[1] == ("dry", "wet, very")
    for options, estimator in (
        (["--estimator", "mle"], {"estimator": "mle"}),
        (["--estimator", "m-estimate", "--m", 2], {"estimator": "m-estimate", "m": 2}),
        (["--prior", 0.5], {"estimator": "bd", "alpha": 0.5}),
        (["--prior", "k2"], {"estimator": "bd", "alpha": "k2"}),
        (["--estimator", "snml"], {"estimator": "snml"}),
    ):
        fitted = fit_parameters(true.dag, rows_of(rows, states), **estimator)
        assert parse_bif(cli("fit", network, rows, *options)) == fitted


def test_fit_takes_structure_files_and_csv(cli: Cli, network: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    cli("sample", network, "--rows", 500, "-o", rows)
    data = read_data(rows)
    (tmp_path / "lau.txt").write_text("rain []\nwet grass [rain]\n")
    (tmp_path / "arcs.csv").write_text("from,to\nrain,wet grass\n")
    (tmp_path / "none.csv").write_text("from,to\n")
    dag = Dag.from_arcs(data.names, [("rain", "wet grass")])
    for name in ("lau.txt", "arcs.csv"):
        assert parse_bif(cli("fit", tmp_path / name, rows)) == fit_parameters(dag, data)


def test_undefined_rows_are_told_and_kept(cli: Cli, network: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("rain,wet grass\nno,dry\nno,dry\nno,dry\n")
    facts = json.loads(cli("fit", network, rows, "--estimator", "mle", "-o", tmp_path / "mle.bif", "--json"))
    assert facts["undefined_rows"] == 1
    assert np.isnan(read_bif(tmp_path / "mle.bif").tables[1][1]).all()
    assert "rows of the table of 'wet grass' are undefined" in cli("sample", tmp_path / "mle.bif", "--rows", 1, code=1)


def test_mistakes_get_one_message(cli: Cli, network: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    cli("sample", network, "--rows", 50, "-o", rows)
    assert "cannot read" in cli("sample", tmp_path / "absent.bif", "--rows", 1, code=1)
    (tmp_path / "broken.bif").write_text("network x {")
    assert "line 1, column 12" in cli("sample", tmp_path / "broken.bif", "--rows", 1, code=1)
    assert "suffix" in cli("sample", network, "--rows", 1, "-o", tmp_path / "rows.xyz", code=1)
    assert "-o FILE" in cli("sample", network, "--rows", 1, "--json", code=2)
    assert "both want stdout" in cli("fit", network, rows, "--json", "-o", "-", code=2)
    cli("sample", network, "--rows", 0, code=2)
    cli("sample", network, code=2)
    assert "did you mean 'laplace'" in cli("fit", network, rows, "--estimator", "laplas", code=1)
    assert "has no parameter 'ess'" in cli("fit", network, rows, "--estimator", "mle", "--ess", 1, code=1)
    assert ".bif, .xmlbif" in cli("fit", network, rows, "-o", tmp_path / "out.csv", code=1)
    assert "kind of graph file" in cli("fit", tmp_path / "graph.xyz", rows, code=1)
    (tmp_path / "other.csv").write_text("rain,snow\nno,no\nyes,yes\n")
    (tmp_path / "lau.txt").write_text("rain []\nwet [rain]\n")
    assert "no column 'wet'" in cli("fit", tmp_path / "lau.txt", tmp_path / "other.csv", code=1)
    (tmp_path / "edges.csv").write_text("from,to,kind\nrain,wet grass,--\n")
    assert "undirected" in cli("fit", tmp_path / "edges.csv", rows, code=1)
    (tmp_path / "strange.csv").write_text("rain,wet grass\nno,dry\nperhaps,dry\n")
    assert "perhaps" in cli("fit", network, tmp_path / "strange.csv", code=1)
    assert not (tmp_path / "out.csv").exists()


def test_fit_reads_only_the_columns_of_the_structure(cli: Cli, network: Path, tmp_path: Path) -> None:
    rows, structure, arcs = tmp_path / "rows.csv", tmp_path / "rain.txt", tmp_path / "rain.csv"
    rows.write_text(
        "id,rain,wet grass\n" + "".join(f"r{k},{'no' if k % 2 else 'yes'},dry\n" for k in range(50)) + ",no,never\n"
    )
    structure.write_text("rain []\nwet grass [rain]\n")
    arcs.write_text("from,to\nrain,wet grass\n")
    for file in (network, structure):
        fitted = parse_bif(cli("fit", file, rows, "-q"))
        assert fitted.names == ("rain", "wet grass")
    assert "missing values" in cli("fit", arcs, rows, code=1)  # a list of arcs does not tell which columns count


def test_samples_of_experiments_and_fits_that_know_of_them(cli: Cli, network: Path, tmp_path: Path) -> None:
    words = ("--rows", 50, "--seed", 3, "--do", "rain=yes", "--do", "wet grass")
    facts = json.loads(cli("sample", network, *words, "-o", tmp_path / "done.csv", "--json"))
    assert facts["do"] == {"rain": "yes", "wet grass": None}
    made = read_bif(network)
    states = dict(zip(made.names, made.states, strict=True))
    read = read_data(tmp_path / "done.csv", states=states, interventions="interventions")
    assert read.digest == facts["digest"] == made.sample(50, seed=3, do={"rain": "yes", "wet grass": None}).digest
    fitted = parse_bif(cli("fit", network, tmp_path / "done.csv", "--interventions", "interventions", "--ess", 2))
    assert fitted.table("rain").tolist() == [0.5, 0.5]  # it was set in every case
    assert "'wet'" in cli("sample", network, "--rows", 5, "--do", "wet=dry", code=1)

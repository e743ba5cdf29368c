"""Networks and data by name: files, random networks, networks fitted to data."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from arcwise.errors import ConfigError
from arcwise.model import write_bif
from arcwise_studies import Sources


def test_a_random_network_is_the_same_every_time() -> None:
    text = "random:nodes=12,max_degree=3,max_states=4,seed=5"
    network = Sources().network(text)
    assert network == Sources(base_folder="elsewhere").network(text)
    assert network.n_variables == 12
    assert set(network.arities.tolist()) <= {2, 3, 4}
    dag = network.dag
    degrees = [len(dag.parents[v]) + sum(v in p for p in dag.parents) for v in range(12)]
    assert max(degrees) <= 3
    assert network != Sources().network(text.replace("seed=5", "seed=6"))
    assert Sources().network("random:nodes=9,uniform=yes").n_variables == 9
    assert Sources().network("random:nodes=9,mean_parents=0").dag.n_arcs == 0


def test_a_network_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    network = Sources().network("random:nodes=3")
    (tmp_path / "nets").mkdir()
    write_bif(network, tmp_path / "nets" / "mine.bif.gz")
    by_name = Sources(networks_folder=str(tmp_path / "nets"))
    by_path = Sources(base_folder=str(tmp_path))
    relative = Sources(networks_folder="nets", base_folder=str(tmp_path))
    for sources, text in ((by_name, "mine"), (by_path, "nets/mine.bif.gz"), (relative, "mine")):
        sources.check_network(text)
        assert sources.network(text).dag == network.dag


def test_networks_come_with_pgmpy_if_it_is_installed() -> None:
    if importlib.util.find_spec("pgmpy") is None:
        pytest.skip("pgmpy is not installed")
    assert Sources().network("asia").n_variables == 8
    with pytest.raises(ConfigError, match="did you mean 'asia'"):
        Sources().check_network("aisa")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("random:node=3", "unknown option 'node'; did you mean 'nodes'"),
        ("random:nodes=x", "nodes=x is not a whole number"),
        ("random:nodes", "not of the form option=value"),
        ("random:nodes=3,nodes=4", "given twice"),
        ("random", "say how many variables"),
        ("random:nodes=3,min_states=3,max_states=2", "2 <= min_states <= max_states"),
        ("random:nodes=3,max_degree=2,uniform=yes", "only one of"),
        ("fitted:score=bic", "say which data"),
        ("fitted:data=tic-tac-to", "did you mean 'tic-tac-toe'"),
        ("fitted:data=tic-tac-toe,score=bix", "unknown score 'bix'"),
        ("fitted:data=tic-tac-toe,estimator=bx", "unknown estimator 'bx'"),
        ("fitted:data=tic-tac-toe,search=exakt", "unknown search 'exakt'"),
        ("fitted:data=tic-tac-toe,scor=bic", "unknown option 'scor'"),
        ("missing.bif", "no such file"),
        (":x=1", "names nothing"),
    ],
)
def test_a_wrong_network_is_named(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        Sources(networks_folder=str(tmp_path)).check_network(text)


def test_an_unknown_network_lists_those_of_the_folder(tmp_path: Path) -> None:
    write_bif(Sources().network("random:nodes=3"), tmp_path / "alarm.bif")
    with pytest.raises(ConfigError, match="did you mean 'alarm'"):
        Sources(networks_folder=str(tmp_path)).check_network("alram")


def test_a_fitted_network_is_learned_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from arcwise_studies import fitted
    from arcwise_studies.source_text import SourceText

    text = "fitted:data=balance-scale,score=bdeu:ess=10"
    sources = Sources(cache_folder=str(tmp_path / "cache"))
    network = sources.network(text)
    assert network.names == sources.data("balance-scale").names
    assert network.is_defined
    monkeypatch.setattr(fitted, "find_optimal", None)  # it must not be called again
    again = fitted.fitted_network(SourceText.parse(text), sources)
    assert again.dag == network.dag
    assert all(np.array_equal(a, b) for a, b in zip(again.tables, network.tables, strict=True))


def test_a_network_that_is_not_proved_in_time_is_an_error_once_and_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arcwise_studies import fitted
    from arcwise_studies.source_text import SourceText

    text = "fitted:data=breast-cancer,score=aic,max_parents=3,seconds=0.001"
    sources = Sources(cache_folder=str(tmp_path))
    with pytest.raises(ConfigError, match=r"was not proved in 0\.001 s\. Allow more time"):
        fitted.fitted_network(SourceText.parse(text), sources)
    monkeypatch.setattr(fitted, "build_parent_sets", None)  # it must not be tried again
    with pytest.raises(ConfigError, match=r"search=order"):
        fitted.fitted_network(SourceText.parse(text), sources)


def test_order_search_serves_where_exact_search_takes_too_long() -> None:
    exact = Sources().network("fitted:data=balance-scale,max_parents=2")
    local = Sources().network("fitted:data=balance-scale,max_parents=2,search=order")
    assert exact.dag.n_arcs == local.dag.n_arcs


def test_data_are_made_complete_and_discrete(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    lines = ["a,b,same,kind"]
    for i in range(200):
        value = rng.normal() + 3 * (i % 2)
        lines.append(f"{'' if i == 7 else 'xyz'[i % 3]},{value:.6f},1,{'uv'[i % 2]}")
    (tmp_path / "mixed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = Sources(data_folder=str(tmp_path)).data("mixed")
    assert data.names == ("a", "b", "kind")
    assert data.n_cases == 200
    assert data.arities.tolist()[0] == 3
    # From the cache folder, the states in the same order.
    cached = Sources(data_folder=str(tmp_path), cache_folder=str(tmp_path / "cache"))
    assert cached.data("mixed").digest == data.digest
    (kept,) = (tmp_path / "cache").glob("*.parquet")
    again = Sources(data_folder=str(tmp_path), base_folder="/", cache_folder=str(tmp_path / "cache"))
    before = kept.stat().st_mtime_ns
    assert again.data("mixed").digest == data.digest
    assert kept.stat().st_mtime_ns == before
    in_three = Sources(data_folder=str(tmp_path)).data("mixed:discretize=width,bins=4,drop=a")
    assert in_three.names == ("b", "kind")
    assert in_three.arities.tolist() == [4, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mixt", "unknown data set 'mixt'; did you mean 'mixed'"),
        ("mixed:discretize=mld", "did you mean 'mdl'"),
        ("mixed:bins=x", "bins=x is not a whole number"),
        ("iris:target=x", "takes no options"),
        ("gone.csv", "no such file"),
    ],
)
def test_wrong_data_are_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "mixed.csv").write_text("a,b\n0,1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        Sources(data_folder=str(tmp_path)).check_data(text)
    with pytest.raises(ConfigError, match="--data FOLDER"):
        Sources().check_data("mixed")

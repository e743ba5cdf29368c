"""Pictures: every `plot` draws into the axes that it is given, or new ones, and shows what it should."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from arcwise.analysis import Analysis, learn
from arcwise.confidence import consensus_network
from arcwise.data import Dataset
from arcwise.ensemble import CredibleSet
from arcwise.errors import OptionError
from arcwise.graph import Dag, Pdag
from arcwise.parent_sets import build_parent_sets
from arcwise.plotting.layout import network_picture


@pytest.fixture(scope="module")
def data() -> Dataset:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 200)
    b = np.where(rng.random(200) < 0.8, a, 1 - a)
    c = np.where(rng.random(200) < 0.8, b, 1 - b)
    return Dataset.from_codes(np.stack([a, b, c], axis=1), names=["a", "b", "c"])


@pytest.fixture(scope="module")
def analysis(data: Dataset) -> Analysis:
    return learn(data, compare=False, permutations=0, target="c", progress=False)


def test_everything_draws_into_the_axes_it_is_given(analysis: Analysis, data: Dataset) -> None:
    credible = CredibleSet.build(build_parent_sets(data, "bdeu", slack=10, progress=False), bayes_factor=20)
    things = [
        analysis,
        analysis.network,
        analysis.dag,
        analysis.cpdag,
        analysis.confidence,
        analysis.consensus,
        analysis.variable("c"),
        analysis.effect("a", "c"),
        analysis.effects(),
        analysis.check_fit(replicates=2),
        analysis.cross_validate("c", folds=2),
        credible,
        credible.networks(),
        credible.summary(),
    ]
    for thing in things:
        ax = Figure().add_subplot()
        assert thing.plot(ax=ax) is ax, thing
        assert ax.has_data() or ax.patches, thing
    assert analysis.plot("forest").get_xlabel() == "confidence"
    assert analysis.plot("matrix").get_figure() is not None
    with pytest.raises(OptionError, match="kind of plot"):
        analysis.confidence.plot("circle")  # type: ignore[arg-type]


def test_lines_of_a_network_say_how_far_to_trust_them(analysis: Analysis) -> None:
    found = consensus_network(analysis.confidence, 0.0)
    ax = found.plot()
    texts = {text.get_text() for text in ax.texts}
    assert {"a", "b", "c"} <= texts
    assert {f"{edge.present:.2f}" for edge in found.edges} <= texts
    assert len(found.plot(numbers=False).texts) == 3


def test_graphs_show_themselves_in_a_notebook() -> None:
    dag = Dag.from_arcs(["<a>", "b", "c"], [("<a>", "b"), ("b", "c")])
    picture = dag._repr_svg_()
    assert picture is not None
    assert "&lt;a&gt; → b" in picture
    assert picture.count("marker-end") == 2
    open_edges = Pdag.from_edges(["a", "b", "c"], [], [("a", "b"), ("b", "c")])
    free = open_edges._repr_svg_()
    assert free is not None
    assert "a — b" in free or "b — a" in free
    assert "marker-end" not in free
    # A graph without a DAG is drawn as well.
    square = Pdag.from_edges(["a", "b", "c", "d"], [], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    assert square._repr_svg_()
    assert network_picture([f"v{k}" for k in range(301)], []) == ""

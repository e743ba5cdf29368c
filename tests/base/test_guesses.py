"""What people guess works: the names that pandas and other libraries taught them."""

from __future__ import annotations

import inspect
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise import BayesianNetworkEstimator, Constraints, datasets, effects, ensemble, evaluate, learn, priors
from arcwise.analysis import Analysis, LearnOptions, SavedAnalysis
from arcwise.base.errors import HINTS, ArcwiseError, Hinted
from arcwise.base.options import options_of
from arcwise.confidence import edge_confidence
from arcwise.data import Dataset, MixedData, Table
from arcwise.ensemble import bootstrap_networks, count_credible, exact_posterior
from arcwise.errors import DataError, GraphError, OptionError
from arcwise.graph import Dag, Pdag
from arcwise.model import BayesianNetwork, fit_parameters
from arcwise.parent_sets import build_parent_sets

DAG = Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("c", "b")])
DATA = Dataset.from_codes(
    np.array([[0, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0]]),
    names=["a", "b", "c"],
    states=[["no", "yes"]] * 3,
)


def test_a_data_set_is_asked_like_a_frame() -> None:
    assert len(DATA) == 6
    assert DATA.shape == DATA.to_dataframe().shape == (6, 3)
    pd.testing.assert_series_equal(DATA["b"], DATA.to_dataframe()["b"])
    assert list(DATA) == ["a", "b", "c"]
    assert "b" in DATA and "d" not in DATA
    with pytest.raises(DataError, match="unknown variable 'd'"):
        DATA["d"]
    table = Table.from_dataframe(DATA.to_dataframe())
    assert len(table) == 6 and table.shape == (6, 3)


def test_relatives_by_position_and_by_name() -> None:
    assert DAG.parents == ((), (0, 2), ())
    assert DAG.parents[1] == (0, 2)
    assert DAG.parents("b") == ("a", "c")
    assert DAG.children("a") == ("b",)
    assert DAG.parents(1) == ("a", "c")
    assert DAG.edges == DAG.arcs == (("a", "b"), ("c", "b"))
    with pytest.raises(GraphError, match="unknown node 'd'"):
        DAG.parents("d")
    copy = pickle.loads(pickle.dumps(DAG.parents))
    assert copy == DAG.parents and copy("b") == ("a", "c")
    mixed = Pdag(["a", "b", "c"], [(), (0,), ()], [(), (2,), (1,)])
    assert mixed.parents("b") == ("a",)
    assert mixed.neighbours("b") == ("c",)


def test_a_table_of_a_network_has_labels() -> None:
    network = fit_parameters(DAG, DATA, ess=1)
    frame = network.cpt("b")
    assert list(frame.columns) == ["no", "yes"] and frame.columns.name == "b"
    assert frame.index.names == ["a", "c"]
    assert frame.loc[("yes", "no"), "yes"] == network.table("b")[1, 0, 1]
    np.testing.assert_allclose(frame.sum(axis=1), 1)
    root = network.cpt("a")
    assert root.shape == (1, 2)
    one = fit_parameters(Dag.from_arcs(["a", "b", "c"], [("a", "b")]), DATA).cpt("b")
    assert one.index.name == "a" and list(one.index) == ["no", "yes"]
    frame.iloc[0, 0] = 9.0  # a copy: the network stays as it is
    assert network.table("b").max() <= 1


def test_a_query_takes_a_name_and_the_evidence() -> None:
    network: BayesianNetwork = fit_parameters(DAG, DATA, ess=1)
    found = network.query("b", {"a": "yes"})
    assert found["yes"] == network.query(["b"], evidence={"a": "yes"})["yes"]
    frame = network.query(["b", "a"]).to_frame()
    assert list(frame.columns) == ["b", "a", "probability"]
    assert len(frame) == 4
    assert frame["probability"].sum() == pytest.approx(1)


def test_a_confidence_is_asked_by_the_pair() -> None:
    confidence = edge_confidence(bootstrap_networks(DATA, replicates=10, seed=1))
    assert confidence["a", "b"] == confidence["b", "a"] == confidence.pair("a", "b").present
    with pytest.raises(OptionError, match="two variables"):
        confidence["a"]
    with pytest.raises(OptionError, match="unknown variable 'd'"):
        confidence["a", "d"]


def test_sets_and_posteriors_as_frames() -> None:
    networks = bootstrap_networks(DATA, replicates=12, seed=1)
    frame = networks.to_frame()
    assert list(frame.columns) == ["score", "weight", "arcs", "network"]
    assert frame["weight"].sum() == pytest.approx(1)
    for row, dag in zip(frame.itertuples(), networks, strict=True):
        assert row.arcs == dag.n_arcs
        families = [f"[{n}|{','.join(dag.parents(n))}]" if dag.parents(n) else f"[{n}]" for n in dag.names]
        assert row.network == "".join(families)
    assert networks[:0].to_frame().empty
    table = build_parent_sets(DATA, "bdeu", slack=float("inf"))
    posterior = exact_posterior(table)
    summary = count_credible(table, bayes_factor=1000.0)
    for found in (posterior, summary):
        arcs = found.to_frame()
        matrix = found.arc_probabilities()
        assert len(arcs) == int((matrix > 0).sum())
        assert arcs["probability"].is_monotonic_decreasing
        first = arcs.iloc[0]
        at = [found.names.index(first["from"]), found.names.index(first["to"])]
        assert first["probability"] == matrix[at[0], at[1]]


# Calls that people guessed who had read the README and nothing else, and natural variants. Each works, or says in one
# line what to call: `hinted` has what the line must name.

TIERS = [["age", "sex"], ["asthma", "smoke", "exercise"]]
QUICK = {"replicates": 30, "compare": False, "permutations": 0, "seed": 1, "progress": False}


@pytest.fixture(scope="module")
def survey() -> pd.DataFrame:
    return datasets.load("survey").to_dataframe().head(600)


@pytest.fixture(scope="module")
def found(survey: pd.DataFrame) -> Analysis:
    return learn(survey, target="visits", tiers=TIERS, **QUICK)


@pytest.fixture(scope="module")
def saved(found: Analysis, tmp_path_factory: pytest.TempPathFactory) -> SavedAnalysis:
    return arcwise.open(found.save(tmp_path_factory.mktemp("saved") / "survey"))


WORKS: dict[str, Callable[[Any, Any, pd.DataFrame, Path], object]] = {
    # what worked before
    "learn(df)": lambda a, s, df, d: learn(df, **QUICK).edges,
    "learn(df, target=)": lambda a, s, df, d: a.target == "visits",
    "repr": lambda a, s, df, d: "9 variables" in repr(a),
    "html in a notebook": lambda a, s, df, d: a._repr_html_(),
    "print": lambda a, s, df, d: 5 < len(str(a).splitlines()) < 40,
    "to_frame()": lambda a, s, df, d: list(a.to_frame()) == SIX,
    "plot()": lambda a, s, df, d: a.plot(),
    "query(y, {x: a})": lambda a, s, df, d: a.query("cough", {"smoke": "yes"}),
    "query(variables=, evidence=)": lambda a, s, df, d: a.query(variables=["cough"], evidence={"smoke": "yes"}),
    "predict(df, y)": lambda a, s, df, d: len(a.predict(df, "cough")) == len(df),
    "effect(a, b)": lambda a, s, df, d: a.effect("smoke", "cough").no_effect < 0.5,
    "explain(x)": lambda a, s, df, d: "cough" in a.explain("cough"),
    "explain(a, b)": lambda a, s, df, d: "cough" in a.explain("smoke", "cough"),
    "edge(a, b)": lambda a, s, df, d: a.edge("smoke", "cough").verdict,
    "check(df)": lambda a, s, df, d: arcwise.check(df) is not None,
    "network.sample(5)": lambda a, s, df, d: len(a.network.sample(5)) == 5,
    "network.cpt(x)": lambda a, s, df, d: list(a.network.cpt("smoke")) == ["no", "yes"],
    "network.to_networkx()": lambda a, s, df, d: len(a.network.to_networkx()) == 9,
    "Estimator().fit(df)": lambda a, s, df, d: BayesianNetworkEstimator().fit(df).dag_,
    # what did not
    "arcwise.open(folder)": lambda a, s, df, d: arcwise.open(s.folder).network.names == a.network.names,
    "learn(df, tiers=)": lambda a, s, df, d: a.constraints.tiers == tuple(map(tuple, TIERS)),
    "learn(df, constraints={tiers})": lambda a, s, df, d: tiers_of(learn(df, constraints={"tiers": TIERS}, **QUICK)),
    "learn(df, forbidden=)": lambda a, s, df, d: forbidden_of(learn(df, forbidden=["cough->smoke"], **QUICK)),
    "hill_climb(df)": lambda a, s, df, d: climbed(df) == climbed(Dataset.from_dataframe(df)),
    "save(x.html)": lambda a, s, df, d: a.save(d / "x.html").is_file() and "<html" in (d / "x.html").read_text(),
    "explain(a->b)": lambda a, s, df, d: a.explain("smoke->cough") == a.explain("smoke", "cough"),
    "query(P(y | x=a))": lambda a, s, df, d: same(a.query("P(cough | smoke=yes)"), a.query("cough", {"smoke": "yes"})),
    "explain()": lambda a, s, df, d: "An edge joins smoke and cough" in a.explain(),
    "learn(target=).predict(new)": lambda a, s, df, d: (a.predict(df) == a.predict(df, "visits")).all(),
    "summary()": lambda a, s, df, d: a.summary() == str(a),
    "show()": lambda a, s, df, d: a.show() is None,
    "to_html(path)": lambda a, s, df, d: a.to_html(d / "y.html") == (d / "y.html").read_text(encoding="utf-8"),
    "numbers of a query": lambda a, s, df, d: re.match(
        r"cough: no 0\.\d\d \(0\.\d\d-0\.\d\d\), yes 0\.\d\d \(0\.\d\d-0\.\d\d\)", repr(a.query("P(cough | smoke=yes)"))
    ),
    "dag.edges()": lambda a, s, df, d: a.dag.edges() == a.dag.edges == a.dag.arcs(),
    # variants
    "explain(a--b) of a folder": lambda a, s, df, d: s.explain("smoke--cough") == a.explain("smoke", "cough"),
    "explain(b <- a)": lambda a, s, df, d: a.explain("cough <- smoke") == a.explain("smoke", "cough"),
    "predict of a folder": lambda a, s, df, d: (s.predict(df) == a.predict(df)).all() and s.target == "visits",
    "to_frame() of a folder": lambda a, s, df, d: s.to_frame()["edge"].tolist() == a.to_frame()["edge"].tolist(),
    "summary() of a folder": lambda a, s, df, d: s.summary() == a.summary(),
    "show() of a folder": lambda a, s, df, d: s.show() is None,
    "edge(a->b)": lambda a, s, df, d: a.edge("smoke->cough").name == s.edge("cough<-smoke").name,
    "effect(a->b)": lambda a, s, df, d: a.effect("smoke->cough").no_effect == a.effect("smoke", "cough").no_effect,
    "confidence[a--b]": lambda a, s, df, d: a.confidence.pair("smoke--cough") == a.confidence.pair("smoke", "cough"),
    "network.query(P())": lambda a, s, df, d: a.network.query("P(cough | smoke=yes)")["yes"] > 0.3,
    "query(P(y=b | x=a))[b]": lambda a, s, df, d: a.query("P(cough=yes | smoke=yes)")["yes"] > 0.3,
    "tiers as text": lambda a, s, df, d: tiers_of(learn(df, tiers="age, sex | asthma, smoke, exercise", **QUICK)),
    "constraints as a file": lambda a, s, df, d: tiers_of(learn(df, constraints=file_of(d), **QUICK)),
    "required and forbidden edges": lambda a, s, df, d: Constraints(
        list(df), required=["smoke->cough"], forbidden=["age--sex"]
    ).forbidden == (("sex", "age"), ("age", "sex")),
    "tabu_search(df)": lambda a, s, df, d: arcwise.tabu_search(df, constraints={"tiers": TIERS}).dag,
    "find_optimal(df)": lambda a, s, df, d: arcwise.find_optimal(df).score
    == arcwise.find_optimal(arcwise.build_parent_sets(df)).score,
    "build_parent_sets(df)": lambda a, s, df, d: arcwise.build_parent_sets(df, constraints={"roots": ["age"]}),
    "find_credible(df)": lambda a, s, df, d: len(arcwise.find_credible(df, bayes_factor=3)),
    "CredibleSet.build(df)": lambda a, s, df, d: arcwise.CredibleSet.build(df, bayes_factor=3).count,
    "bootstrap_networks(df)": lambda a, s, df, d: len(
        arcwise.bootstrap_networks(df, replicates=3, constraints={"tiers": TIERS})
    ) == 3,
    "bootstrap_networks(df with gaps)": lambda a, s, df, d: len(
        arcwise.bootstrap_networks(with_gaps(df), "pnal", replicates=3)
    ) == 3,
    "fit_parameters(dag, df)": lambda a, s, df, d: arcwise.fit_parameters(a.dag, df).names == a.network.names,
    "check_fit(network, df)": lambda a, s, df, d: evaluate.check_fit(a.network, df, replicates=0).n_tests > 0,
    "find_effect(networks, df)": lambda a, s, df, d: effects.find_effect(a.networks, df, "smoke", "cough"),
    "find_posterior(df)": lambda a, s, df, d: ensemble.find_posterior(df, constraints={"tiers": TIERS}).is_exact,
    "prior_sensitivity(df, dag)": lambda a, s, df, d: priors.prior_sensitivity(df, a.dag),
    "learn(polars-like frame)": lambda a, s, df, d: arcwise.hill_climb(Table.from_dataframe(df)).dag,
}  # fmt: skip
SIX = ["edge", "verdict", "do", "range", "probability", "direction"]


def climbed(data: Any) -> Dag:
    return arcwise.hill_climb(data).dag


def with_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.mask(np.random.default_rng(1).random(frame.shape) < 0.02)


def tiers_of(made: Analysis) -> bool:
    assert made.constraints is not None
    return made.constraints.tiers == tuple(map(tuple, TIERS))


def forbidden_of(made: Analysis) -> bool:
    assert made.constraints is not None
    return made.constraints.forbidden == (("cough", "smoke"),)


def same(one: Any, other: Any) -> bool:
    return bool((one.mean == other.mean).all())


def file_of(folder: Path) -> Path:
    path = folder / "known.json"
    path.write_text(json.dumps({"tiers": TIERS}), encoding="utf-8")
    return path


@pytest.mark.parametrize("guess", WORKS)
def test_a_guess_works(
    guess: str,
    found: Analysis,
    saved: SavedAnalysis,
    survey: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    result = WORKS[guess](found, saved, survey, tmp_path)
    assert result is None or isinstance(result, pd.DataFrame) or np.any(bool(result))
    if guess.startswith("show()"):
        (address,) = opened
        assert address.startswith("file://") and address.endswith(".html")


HINTED: dict[str, tuple[Callable[[Any, Any, pd.DataFrame], object], str]] = {
    "arcwise.load(folder)": (lambda a, s, df: arcwise.load("folder"), r"arcwise\.open\('folder'\)"),
    "Constraints(tiers=)": (lambda a, s, df: Constraints(tiers=TIERS), r"Constraints\(data\.names, tiers="),
    "learn(df, blacklist=)": (lambda a, s, df: learn(df, blacklist=[("a", "b")]), r"forbidden=\['a->b'\]"),
    "learn(df, whitelist=)": (lambda a, s, df: learn(df, whitelist=[("a", "b")]), r"required=\['a->b'\]"),
    "learn(df, random_state=)": (lambda a, s, df: learn(df, random_state=1), "seed=1"),
    "P(y | do(x))": (lambda a, s, df: a.query("P(cough | do(smoke=yes))"), r"ask effect\('x', 'y'\)"),
    "pgmpy's classes": (lambda a, s, df: arcwise.HillClimbSearch(df), r"arcwise.hill_climb\(data\)"),
    "to_pandas()": (lambda a, s, df: a.to_pandas(), r"to_frame\(\)"),
    "to_networkx()": (lambda a, s, df: a.to_networkx(), r"network\.to_networkx\(\)"),
    "open()": (lambda a, s, df: a.open(), r"show\(\)"),
    "to_csv() of a folder": (lambda a, s, df: s.to_csv("x"), r"to_frame\(full=True\)"),
    "Estimator().fit(X, y).predict": (
        lambda a, s, df: BayesianNetworkEstimator().fit(df).predict(df),
        "BayesianNetworkEstimator",
    ),
    "network.get_cpds": (lambda a, s, df: a.network.get_cpds("cough"), r"cpt\('x'\)"),
    "dag.nodes": (lambda a, s, df: a.dag.nodes(), "names"),
    "data.head()": (lambda a, s, df: datasets.load("survey").head(), r"to_dataframe\(\)\.head\(\)"),
    "hill_climb(file)": (lambda a, s, df: arcwise.hill_climb("survey.csv"), r"read_data\('survey\.csv'\)"),
    "hill_climb(array)": (lambda a, s, df: arcwise.hill_climb(np.zeros((9, 2))), r"DataFrame, or Dataset\.from_codes"),
    "hill_climb(numbers)": (lambda a, s, df: arcwise.hill_climb(numbers()), r"discretize\("),
    "hill_climb(numbers, bic-dg)": (lambda a, s, df: arcwise.hill_climb(numbers(), "bic-dg"), "MixedData"),
    "hill_climb(gaps)": (lambda a, s, df: arcwise.hill_climb(with_gaps(df)), r"impute\("),
    "predict without a target": (lambda a, s, df: learn(df, **QUICK).predict(df), "target='y'"),
    "effect(x)": (lambda a, s, df: a.effect("smoke"), r"effects\(\)"),
    "edge(x)": (lambda a, s, df: a.edge("smoke"), "edge\\('x--y'\\)"),
    "query(MPE)": (lambda a, s, df: a.query("MPE(smoke=yes)"), r"network\.most_probable"),
    "a wrong name": (lambda a, s, df: a.explain("smoke->cogh"), "cough"),
    "arcwise.Recipe": (lambda a, s, df: arcwise.Recipe, r"arcwise\.ensemble\.Recipe"),
}


def numbers() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({"a": rng.random(90), "b": rng.random(90)})


@pytest.mark.parametrize("guess", HINTED)
def test_a_guess_says_what_to_call(guess: str, found: Analysis, saved: SavedAnalysis, survey: pd.DataFrame) -> None:
    call, told = HINTED[guess]
    with pytest.raises((AttributeError, ArcwiseError), match=told) as caught:
        call(found, saved, survey)
    assert "\n" not in str(caught.value)


def test_no_hint_is_about_a_name_that_is_there(found: Analysis, survey: pd.DataFrame) -> None:
    have: dict[str, object] = {
        "arcwise": arcwise, "analysis": found, "graph": found.dag, "network": found.network, "data": found.data,
        "estimator": BayesianNetworkEstimator(),
    }  # fmt: skip
    for kind, thing in have.items():
        assert [name for name in HINTS[kind] if hasattr(thing, name)] == [], kind
    assert not {item.name for item in options_of(LearnOptions)} & {*HINTS["learn"]}


CALLED = re.compile(r"(?<![\w.'=>-])([A-Za-z_]\w*(?:\.\w+)*)(\(?)")


def test_what_a_hint_recommends_is_there(found: Analysis) -> None:
    roots = {"arcwise": arcwise, "network": found.network, "dag": found.dag, "cpdag": found.dag.cpdag, "data": DATA}
    have = {"analysis": found, "graph": found.dag, "network": found.network, "data": found.data, "estimator": arcwise}
    seen = 0
    for kind in HINTS.keys() - {"learn", "search"}:
        for name, advice in HINTS[kind].items():
            text = re.sub(r"\b(arcwise\.)?learn\(data[^)]*\)\.", "analysis.", re.sub(r"'[^']*'", "''", advice))
            for path, bracket in CALLED.findall(text):
                first, *rest = path.split(".")
                if not bracket and not rest:
                    continue  # a word
                thing = {**roots, "analysis": found, "learn": arcwise}.get(first)
                for part in rest if thing not in (None, arcwise) or first == "arcwise" else path.split("."):
                    thing = getattr(thing or have.get(kind, arcwise), part)
                assert not bracket or callable(thing), f"{kind}.{name}: {advice}"
                seen += 1
    assert seen > 80


SEARCHES = (arcwise.hill_climb, arcwise.tabu_search, arcwise.bootstrap_networks, arcwise.find_credible)


def test_a_keyword_of_another_library_is_answered_with_ours(survey: pd.DataFrame) -> None:
    for name, advice in HINTS["search"].items():
        own = advice.split("=")[0]
        takers = [call for call in SEARCHES if own in str(inspect.signature(call)) + (call.__doc__ or "")]
        assert takers, name
        with pytest.raises(OptionError, match=rf"takes no argument '{name}'; use {own}="):
            takers[0](survey, **{name: 3})
    with pytest.raises(OptionError, match=r"It takes data, .*constraints, .*max_parents, .*restarts") as caught:
        arcwise.hill_climb(survey, nonsense=1)
    assert "keywords" not in str(caught.value)


MIXED = MixedData.from_dataframe(
    pd.DataFrame({name: np.random.default_rng(i).random(60) for i, name in enumerate("abc")})
)
CUT = MIXED.as_dataset()
FITTED = fit_parameters(DAG, CUT)


def test_what_counts_states_refuses_numbers_in_words() -> None:
    """Every public function that takes a `Dataset` and no `MixedData`, as far as its arguments can be filled in."""
    given: dict[str, Any] = {
        "dag": DAG, "graph": DAG, "truth": DAG, "network": FITTED, "true": FITTED, "learned": FITTED,
        "networks": bootstrap_networks(CUT, replicates=3, seed=1), "target": "c", "cause": "a", "outcome": "c",
        "child": "b", "parent": "a",
    }  # fmt: skip
    stages = [getattr(arcwise, name) for name in arcwise._MODULES]
    calls = [getattr(stage, name) for stage in stages for name in getattr(stage, "__all__", ())]
    tried = []
    for call in filter(inspect.isfunction, calls):
        own = inspect.signature(call).parameters
        kind = str(own["data"].annotation) if "data" in own else ""
        needed = [
            p.name for p in own.values() if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        ]
        if "Dataset" not in kind or "MixedData" in kind or not {*needed} <= {*given, "data"}:
            continue
        if call.__name__ in ("learn", "write_data", "negative_log_likelihood", "recommend"):
            continue  # these take numbers as they are, or networks of any kind
        tried.append(call.__name__)
        with pytest.raises(ArcwiseError) as caught:
            call(**{name: given[name] for name in needed if name != "data"}, data=MIXED)
        assert "nanobind" not in str(caught.value)
    assert {"fit_parameters", "find_effect", "explain_graph", "ess_path", "accuracy_score", "check_fit"} <= {*tried}
    with pytest.raises(DataError, match=r"MixedNetwork\.fit\(dag, data\), from arcwise\.model.*data\.as_dataset\(\)"):
        fit_parameters(DAG, MIXED)
    with pytest.raises(DataError, match=r"learn\(.*arcwise\.data\.MixedData\.from_dataframe"):
        arcwise.hill_climb(numbers())


def test_what_is_given_in_another_place_is_told_or_taken() -> None:
    with pytest.raises(GraphError, match=r"not BayesianNetwork; it has one: true\.dag"):
        evaluate.shd(FITTED, DAG)
    with pytest.raises(OptionError, match=r"evidence='a' must say what was observed.*\{'smoke': 'yes'\}"):
        FITTED.query("b", "a")
    score = arcwise.scores.make_score("bdeu")
    assert score.score_network(DATA.to_dataframe(), DAG) == score.score_network(DATA, DAG)


def test_dir_shows_what_a_user_wants(found: Analysis, saved: SavedAnalysis) -> None:
    assert {"summary", "show", "to_frame", "explain", "query", "effect", "predict", "save"} <= {*dir(found)}
    assert len(dir(found)) <= 32 and not any(name.startswith("_") for name in dir(found))
    for thing in (found, saved):
        assert all(hasattr(type(thing), name) for name in dir(thing))


def test_what_a_property_raises_is_not_taken_for_a_missing_name() -> None:
    class Broken(Hinted):
        _KIND = "analysis"

        @property
        def edges(self) -> int:
            raise AttributeError("the reason")

    with pytest.raises(AttributeError, match="the reason"):
        _ = Broken().edges

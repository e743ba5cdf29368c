"""The transfer-learned rule: Algorithm 5.2, the tables, and the recommendation in words."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise.confidence import (
    EdgeConfidence,
    LearnedEntry,
    LearnedTable,
    choose_threshold,
    learned_table,
    published_table,
    recommend,
)
from arcwise.confidence.learned_table import GRID, SIZE_GROUPS, WEIGHTS, relearned_table, size_group
from arcwise.confidence.rules import learned_threshold
from arcwise.ensemble import Recipe
from arcwise.errors import FormatError, OptionError, UnknownNameError


def make(**changes: object) -> EdgeConfidence:
    directed = np.zeros((4, 4))
    directed[0, 1], directed[1, 2], directed[2, 3], directed[0, 3] = 0.95, 0.6, 0.45, 0.1
    facts: dict[str, object] = {
        "names": tuple("abcd"),
        "directed": directed,
        "undirected": np.zeros((4, 4)),
        "orient": "cpdag",
        "origin": "bootstrap",
        "n_networks": 200,
        "weights": "own",
        "exact": False,
        "recipe": Recipe.of("bootstrap", "bic"),
        "n_cases": 1000,
    }
    return EdgeConfidence(**{**facts, **changes})  # type: ignore[arg-type]


def entry(weight: float, threshold: float, **changes: object) -> LearnedEntry:
    errors = tuple(float(abs(value - threshold)) for value in GRID)
    facts: dict[str, object] = {
        "method": "bootstrap",
        "score": "bic",
        "cases": "500-1000",
        "metric": "cost",
        "weight": weight,
        "threshold": threshold,
        "proxies": 30,
        "networks": 15,
        "loss": 0.1,
        "errors": errors,
    }
    return LearnedEntry(**{**facts, **changes})  # type: ignore[arg-type]


def test_liao_table_5_8() -> None:
    def value(method: str, score: str, n: int) -> float:
        return learned_threshold(method, score=score, n_cases=n, source="published").value

    assert [value("bootstrap", "aic", n) for n in (50, 1000, 5000)] == [0.35, 0.45, 0.45]
    assert [value("bootstrap", "bdeu", n) for n in (100, 500, 10_000)] == [0.5, 0.3, 0.4]
    assert [value("bootstrap", "bic", n) for n in (50, 1000, 5000)] == [0.25, 0.25, 0.45]
    assert [value("credible", "aic", n) for n in (50, 1000, 5000)] == [0.6, 0.5, 0.5]
    assert [value("credible", "bdeu", n) for n in (50, 1000, 5000)] == [0.95, 0.5, 0.5]
    assert [value("credible", "bic", n) for n in (50, 1000, 5000)] == [0.5, 0.5, 0.5]
    assert [value("credible", "qnml", n) for n in (50, 1000, 5000)] == [0.75, 0.5, 0.5]
    assert len(published_table().entries) == 21
    with pytest.raises(OptionError, match="no threshold was learned"):
        learned_threshold("bootstrap", score="bic", n_cases=100, metric="f", beta=1, source="published")


def test_sample_sizes_go_to_the_nearest_group() -> None:
    assert [size_group(n) for n in (2, 100, 223, 224, 1000, 2236, 2237, 10**6)] == [
        *["50-100"] * 3,
        *["500-1000"] * 3,
        *["5000-10000"] * 2,
    ]
    assert size_group(None) == "any"


def test_between_weights_the_threshold_is_interpolated_on_a_log_scale() -> None:
    table = LearnedTable.of([entry(1.0, 0.5), entry(4.0, 0.3)], {})

    def value(alpha: float) -> float:
        return learned_threshold("bootstrap", score="bic", n_cases=600, metric="cost", alpha=alpha, table=table).value

    assert [value(a) for a in (1, 2, 4, 100, 0.01)] == [0.5, 0.4, 0.3, 0.3, 0.5]


def test_an_unknown_score_or_size_takes_what_was_learned_over_all() -> None:
    table = LearnedTable.of([entry(1.0, 0.5), entry(1.0, 0.2, score="any"), entry(1.0, 0.8, cases="any")], {})
    found = [
        learned_threshold("bootstrap", score=score, n_cases=n, metric="cost", table=table).value
        for score, n in (("bic", 700), ("k2", 700), ("bic", None))
    ]
    assert found == [0.5, 0.2, 0.8]
    with pytest.raises(OptionError, match="known kinds: bootstrap"):
        learned_threshold("k-best", metric="cost", table=table)


def test_the_package_knows_every_combination() -> None:
    table = learned_table()
    assert table.provenance["study"] == "liao-thresholds"
    assert {"configuration", "results", "version", "cells"} <= set(table.provenance)
    assert set(table.methods) == {"bootstrap", "credible", "ensemble"}
    for method in ("bootstrap", "credible"):
        assert table.scores(method) == ("aic", "bdeu", "bic", "qbdj", "qnml")
    for method, scores in (("bootstrap", ("aic", "any")), ("credible", ("qnml", "any")), ("ensemble", ("boosting",))):
        for score in scores:
            for group in (*SIZE_GROUPS, "any"):
                for metric, weights in (("shd", (1.0,)), ("f", WEIGHTS), ("f-cpdag", WEIGHTS), ("cost", WEIGHTS)):
                    for weight in weights:
                        found = table.entries[method, score, group, metric, weight]
                        assert found.proxies > 0
                        assert found.errors[round(found.threshold * 20)] == min(found.errors)


def test_files_are_checked() -> None:
    table = LearnedTable.of([entry(1.0, 0.5)], {"study": "x"})
    again = LearnedTable.from_json(table.to_json())
    assert again.entries == table.entries
    assert again.provenance == table.provenance
    for text in ("{}", "[]", '{"kind": "x"}', "nonsense", table.to_json().replace("0.5,", "7,", 1)):
        with pytest.raises(FormatError, match="thresholds"):
            LearnedTable.from_json(text)


def test_the_words_are_those_of_an_analyst() -> None:
    table = LearnedTable.of([entry(w, 0.4) for w in (0.5, 1.0, 2.0, 4.0)], {})
    advice = recommend(make(), metric="cost", alpha=2, table=table)
    assert advice.cost_in_words == "missing an edge costs you twice an extra edge"
    assert advice.threshold.value == 0.4
    assert advice.edges == 3
    assert [a.threshold for a in advice.neighbours] == pytest.approx([0.3, 0.35, 0.4, 0.45, 0.5])
    assert [a.edges for a in advice.neighbours] == [3, 3, 3, 2, 2]
    assert advice.neighbours[2].extra_error == 0
    for part in ("Use 0.4", "30 proxy data sets of 500 to 1000 rows", "15 networks", "BIC", "your costs alone 0.333"):
        assert part in str(advice)
    assert recommend(make(), metric="cost", alpha=0.5, table=table).cost_in_words == (
        "an extra edge costs you twice missing an edge"
    )
    assert "costs you as much as" in recommend(make(), metric="cost", table=table).text


def test_f_scores_and_shd_have_words_too() -> None:
    assert "reporting only true edges matters twice as much" in recommend(make(), metric="f", beta=0.5).text
    assert "finding the true edges matters 3 times as much" in recommend(make(), metric="f-cpdag", beta=3).text
    assert "count the same" in recommend(make()).text
    foreign = make(n_cases=None, recipe=Recipe.of("bootstrap", "k2"), complete=False)
    unknown = recommend(foreign, rule="learned").text
    for part in ("k2 was not among those studied", "number of rows is not known", "cut short by a limit"):
        assert part in unknown


def test_other_kinds_of_networks_get_the_cost_rule() -> None:
    advice = recommend(make(origin="k-best"), metric="f", beta=2)
    assert advice.threshold.rule == "cost"
    assert advice.threshold.value == pytest.approx(0.2)
    assert "No proxies were studied" in advice.text


def test_by_name_the_rule_reads_score_and_size_off_the_confidences() -> None:
    chosen = choose_threshold(make(), "learned", metric="f", beta=0.5)
    assert chosen.value == relearned_table().find("bootstrap", "bic", 1000, "f", 0.5).threshold
    assert chosen.value == recommend(make(), metric="f", beta=0.5, rule="learned").threshold.value
    assert chosen.rule == "learned"
    unrefined = choose_threshold(make(recipe=Recipe.of("bootstrap", "bic", refine=0)), "learned", metric="f", beta=0.5)
    assert unrefined.value == learned_table().find("bootstrap", "bic", 1000, "f", 0.5).threshold
    assert choose_threshold(make(origin="credible"), "learned", source="published").value == 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "f", "beta": 0}, "must be a positive number"),
        ({"metric": "cost", "alpha": float("nan")}, "must be a positive number"),
        ({"metric": "cost", "beta": 1}, "takes alpha, not beta"),
        ({"metric": "shd", "beta": 1}, "takes no weight"),
        ({"metric": "ff"}, "did you mean 'f'"),
    ],
)
def test_mistakes(options: dict[str, object], message: str) -> None:
    with pytest.raises((OptionError, UnknownNameError), match=message):
        recommend(make(), **options)  # type: ignore[arg-type]
    with pytest.raises((OptionError, UnknownNameError), match=message):
        choose_threshold(make(), "learned", **options)


def test_a_table_may_be_learned_from_networks_of_any_kind() -> None:
    table = LearnedTable.of([entry(1.0, 0.4, method="jackknife")], {})
    advice = recommend(make(origin="jackknife"), metric="cost", table=table)
    assert advice.threshold.rule == "learned"
    assert "(jackknifes with BIC)" in advice.text
    credible = LearnedTable.of([entry(1.0, 0.4, method="credible")], {})
    assert "(credible sets with BIC)" in recommend(make(origin="credible"), metric="cost", table=credible).text


def test_few_networks_and_uncommon_weights_and_sizes() -> None:
    table = LearnedTable.of([entry(2.5, 0.4), entry(2.5, 0.4, cases="50-100")], {"recipes": {}})
    found = recommend(make(n_networks=4), metric="cost", alpha=2.5, table=table)
    assert [other.reason for other in found.other_rules] == [
        "your costs alone",
        "Scutari (the nearest pattern of zeros and ones)",
    ]
    assert found.cost_in_words == "missing an edge costs you 2.5 times an extra edge"
    assert "3.14 times" in recommend(make(), metric="cost", alpha=3.14159, table=table).cost_in_words
    assert "Warning" not in found.text
    assert "there are 20 here" in recommend(make(n_cases=20), metric="cost", alpha=2.5, table=table).text
    # Thresholds that are known without the errors of their neighbours.
    bare = LearnedTable.of([entry(1.0, 0.4, errors=())], {"recipes": {}})
    assert recommend(make(), metric="cost", alpha=1.0, table=bare).neighbours == ()

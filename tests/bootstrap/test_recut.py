"""A bootstrap that cuts numbers anew in every replicate, beside doing the same step by step."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise.base.run import Run
from arcwise.confidence.by_recipe import carry_out, permuted_confidences
from arcwise.data import Column, Dataset, Incomplete, Table, apply_cuts, discretize
from arcwise.data.cases import bootstrap_weights
from arcwise.ensemble import Recipe, bootstrap_networks
from arcwise.errors import DataError, FormatError, OptionError, UnknownNameError
from arcwise.local import tabu_search
from arcwise.local.joint_cuts import joint_cuts
from arcwise.sampled.numeric_data import CUT_METHODS, Cutting, NumericData

ROWS, NUMBERS = 120, ("x", "y")


def frame(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=ROWS).round(2)
    return pd.DataFrame(
        {
            "x": x,
            "c": np.where(x + rng.normal(size=ROWS) > 0.3, "on", "off"),
            "y": (x + 2 * rng.normal(size=ROWS)).round(2),
            "d": rng.choice(["u", "v", "w"], ROWS, p=[0.6, 0.38, 0.02]),
        }
    )


def uncut(method: str = "quantile", bins: int = 3, *, experiments: bool = False) -> NumericData:
    table = Table.from_dataframe(frame())
    if experiments:
        which = np.random.default_rng(9).choice(["none", "x", "c"], ROWS)
        known = Table.from_dataframe(frame().assign(which=which))
        table = known.with_interventions("which", {"none": (), "x": ("x",), "c": ("c",)})
    return NumericData(table, NUMBERS, Cutting(method, bins, "c" if method == "mdl" else None))


def by_hand(table: Table, method: str, index: int, seed: int) -> tuple[Dataset, int]:
    """Draw the rows of a replicate, write them out as a table, and cut it as any table is cut; also return its seed."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(index,))))
    plain = discretize(table, method="quantile", columns=NUMBERS).to_dataset()
    rows = np.repeat(np.arange(table.n_rows), bootstrap_weights(plain, rng))
    drawn = table.take(rows)
    states = {
        name: plain.states[plain.index(name)] for name in ("c", "d")
    }  # those of all rows, as the bootstrap has it
    if method == "joint":
        known = [Column(n, plain.codes[plain.index(n)][rows], own, declared=True) for n, own in states.items()]
        found = joint_cuts(drawn.with_columns(known), NUMBERS, start_bins=3, seed=0)
        cut = apply_cuts(drawn, found.cuts, keep_empty=False)
    else:
        cut = discretize(
            drawn,
            method=method,
            columns=NUMBERS,
            bins=3,
            target="c" if method == "mdl" else None,
            without_cuts="median",
        )
    return cut.to_dataset(states=states), int(rng.integers(0, 2**63))


@pytest.mark.parametrize("experiments", [False, True], ids=["observed", "experiments"])
@pytest.mark.parametrize("method", CUT_METHODS)
def test_a_replicate_is_rows_drawn_cut_and_learned_from(method: str, experiments: bool) -> None:
    data = uncut(method, experiments=experiments)
    assert isinstance(data.whole, Dataset) and (data.whole.targets is not None) == experiments
    networks = bootstrap_networks(data, "bic", replicates=6, seed=5, draws="replacement")
    for index in range(6):
        sample, seed = by_hand(data.table, method, index, 5)
        found = tabu_search(sample, "bic", seed=seed, random_ties=True, by_position=True, progress=False)
        assert networks[index] == found.dag.reorder(networks.names)
        assert networks.facts["replicate_scores"][index] == pytest.approx(found.score)
    assert networks.facts["cut"]["method"] == method
    assert networks.recipe is not None and networks.recipe.recuts
    # Scores can be compared: all are on the data that were cut once.
    assert isinstance(data.whole, Dataset)
    assert networks.data_digest == data.whole.digest


def test_samples_have_cuts_of_their_own() -> None:
    data = uncut()
    states = {data.sample(seed).states[0] for seed in range(10)}
    assert len(states) > 5
    once = bootstrap_networks(data.whole, "bic", replicates=20, seed=1)
    assert once.recipe is not None and not once.recipe.recuts


def test_workers_and_resumed_runs_change_nothing(tmp_path: Path) -> None:
    whole = bootstrap_networks(uncut(), "bdeu", replicates=12, seed=3)
    threads = bootstrap_networks(uncut(), "bdeu", replicates=12, seed=3, workers=3)
    path = tmp_path / "replicates"
    bootstrap_networks(uncut(), "bdeu", replicates=5, seed=3, path=path)
    resumed = bootstrap_networks(uncut(), "bdeu", replicates=12, seed=3, path=path)
    for other in (threads, resumed):
        assert [dag.parents for dag in other] == [dag.parents for dag in whole]
        assert other.scores.tolist() == whole.scores.tolist()
    with pytest.raises((FormatError, OptionError), match="cut"):
        bootstrap_networks(uncut(bins=4), "bdeu", replicates=12, seed=3, path=path)


def test_uncut_data_go_to_another_process() -> None:
    there = pickle.loads(pickle.dumps(uncut()))
    assert there.sample(3).digest == uncut().sample(3).digest and there.identity == uncut().identity


def test_gaps_are_completed_and_numbers_cut_in_every_replicate() -> None:
    rng = np.random.default_rng(1)
    holes = frame().mask(rng.random((ROWS, 4)) < [0.2, 0.2, 0.0, 0.0])
    data = NumericData(Table.from_dataframe(holes), NUMBERS)
    recipe = Recipe.of("bootstrap", "bic", replicates=8, gaps="completions:4", recut=True)
    one = carry_out(recipe, data, Run(seed=2))
    other = carry_out(recipe, data, Run(seed=2, threads=2))
    assert one.confidence is not None and other.confidence is not None
    assert one.confidence.present.tolist() == other.confidence.present.tolist()
    assert one.confidence.filled is not None
    whole = data.whole
    assert isinstance(whole, Incomplete)
    completion = whole.completed(np.where(whole.missing, rng.integers(0, 2, whole.missing.shape), whole.held.codes))
    cases = whole.resampled_rows(4)
    sample, start = data.completed_sample(cases, completion, rng)
    drawn = Table.from_dataframe(holes.iloc[cases])
    again = discretize(drawn, method="quantile", columns=NUMBERS).to_incomplete()
    assert sample.states[0] == again.states[0] and sample.missing.tolist() == again.missing.tolist()
    assert sample.held.codes[0].tolist() == again.held.codes[0].tolist()
    known = ~sample.missing
    assert (start.codes[known] == sample.held.codes[known]).all()
    # What was filled in the lowest of three intervals is in the lowest of the sample's, or at most in the next.
    low = sample.missing[0] & (completion.codes[0][cases] == 0)
    assert low.any() and start.codes[0][low].max() <= 1


def test_scores_that_take_gaps_see_them_cut_anew() -> None:
    holes = frame().mask(np.random.default_rng(1).random((ROWS, 4)) < [0.2, 0.2, 0.0, 0.0])
    data = NumericData(Table.from_dataframe(holes), NUMBERS)
    found = bootstrap_networks(data, "pnal", replicates=6, seed=3)
    assert found.count == 6
    sample = data.marked_sample(5)
    rows = data.whole.resampled_rows(5)
    assert (sample.codes[0] == len(sample.states[0]) - 1).tolist() == holes["x"].isna().to_numpy()[rows].tolist()
    again = discretize(Table.from_dataframe(holes.iloc[rows]), method="quantile", columns=NUMBERS).to_incomplete()
    assert sample.states[0][:-1] == again.states[0]


def test_samples_of_experiments_begin_with_them() -> None:
    holes = frame().mask(np.random.default_rng(1).random((ROWS, 4)) < [0.2, 0.2, 0.0, 0.0])
    table = Table.from_dataframe(holes.assign(set=["d"] * 60 + [""] * 60)).with_interventions("set")
    data = NumericData(table, NUMBERS)
    whole = data.whole
    assert isinstance(whole, Incomplete)
    sample, start = data.completed_sample(whole.resampled_rows(4), whole.completed(whole.held.codes), _rng(0, 0))
    assert start.targets is not None
    assert start.targets.of_row.tolist() == sample.held.targets.of_row.tolist()  # type: ignore[union-attr]


def test_a_column_of_which_a_sample_has_no_value_is_kept() -> None:
    holes = frame()
    holes.loc[holes.index[2:], "y"] = np.nan
    data = NumericData(Table.from_dataframe(holes), NUMBERS)
    drawn = data._recoded(np.arange(5, 15), data._points(np.arange(5, 15))[0])
    assert len(drawn.states[2]) == 2


def test_gaps_as_a_state_of_their_own() -> None:
    holes = frame().mask(np.random.default_rng(1).random((ROWS, 4)) < [0.2, 0.0, 0.0, 0.1])
    data = NumericData(Table.from_dataframe(holes), NUMBERS, gap_state=True)
    assert isinstance(data.whole, Dataset)
    sample = data.sample(3)
    assert sample.states[0][-1] == "missing" == data.whole.states[0][-1] and sample.states[2][-1] != "missing"
    rows = np.repeat(np.arange(ROWS), bootstrap_weights(data.whole, 3))
    assert (sample.codes[0] == len(sample.states[0]) - 1).tolist() == holes["x"].isna().to_numpy()[rows].tolist()


def test_weighted_rows_are_cut_as_cases_are() -> None:
    weights = np.random.default_rng(0).integers(0, 4, ROWS)
    table = Table.from_dataframe(frame(), counts=weights)
    cases = Table.from_dataframe(frame().iloc[np.repeat(np.arange(ROWS), weights)])
    data = NumericData(table, NUMBERS)
    assert {n: c.tolist() for n, c in data.cuts.items()} == {
        n: c.tolist() for n, c in NumericData(cases, NUMBERS).cuts.items()
    }
    assert data.sample(1).n_cases == weights.sum()


def test_shuffled_columns_are_cut_as_the_data_are() -> None:
    data = uncut()
    shuffled = data.permute_columns(seed=1)
    assert sorted(shuffled.table.column("x").values()) == sorted(data.table.column("x").values())
    assert shuffled.table.column("x").values().tolist() != data.table.column("x").values().tolist()
    recipe = Recipe.of("bootstrap", "bic", replicates=5, recut=True)
    found = permuted_confidences(data, recipe, permutations=3, seed=1)
    assert found.complete and found.vectors.shape == (3, 6)


def test_a_sample_that_does_not_vary_has_no_arc_there() -> None:
    rare = frame().assign(x=[*([0.0] * (ROWS - 1)), 1.0])
    data = NumericData(Table.from_dataframe(rare), NUMBERS)
    networks = bootstrap_networks(data, "bic", replicates=10, seed=1)
    constant = [k for k in range(10) if data.sample(_rng(1, k)).constant[0]]
    assert constant and all(not networks[k].parents[0] and not networks[k].children[0] for k in constant)


def _rng(seed: int, index: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(index,))))


def test_what_cannot_be_cut_is_refused() -> None:
    table = Table.from_dataframe(frame())
    with pytest.raises(DataError, match="does not hold numbers"):
        NumericData(table, ("c",))
    with pytest.raises(OptionError, match="no column"):
        NumericData(table, ())
    with pytest.raises(UnknownNameError, match="quantile"):
        Cutting("quantiles")
    with pytest.raises(OptionError, match="target"):
        Cutting("mdl")
    holes = Table.from_dataframe(frame().mask(np.eye(ROWS, 4) > 0))
    with pytest.raises(OptionError, match="gaps"):
        NumericData(holes, NUMBERS, Cutting("joint"))
    with pytest.raises(DataError, match="completed"):
        NumericData(holes, NUMBERS).sample(1)


def test_recipes_say_whether_they_cut_anew() -> None:
    anew, once = (Recipe.of("bootstrap", "bic", recut=recut) for recut in (True, False))
    assert "recut" not in once.settings and Recipe.from_description(anew.describe()) == anew
    assert once.differences(anew) == ("whether numbers are cut anew in each replicate: no here, yes there",)
    with pytest.raises(OptionError, match="discrete already"):
        anew.run(uncut().whole)
    # A recipe that does not cut anew learns from the data as they are cut once.
    data = uncut()
    assert [d.parents for d in once.run(data, seed=1)] == [d.parents for d in once.run(data.whole, seed=1)]

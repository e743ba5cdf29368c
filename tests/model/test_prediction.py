from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.twins.inference import joint_twin

from arcwise.data import Dataset, Table
from arcwise.errors import DataError, OptionError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork

from .conftest import random_networks


@given(random_networks(max_variables=6, min_states=1, max_states=3), st.data())
def test_rows_with_gaps_are_answered_like_single_queries(network: BayesianNetwork, choice: st.DataObject) -> None:
    asked = choice.draw(st.lists(st.sampled_from(network.names), min_size=1, max_size=2, unique=True))
    rows = [
        {
            name: choice.draw(st.sampled_from([None, *states]))
            for name, states in zip(network.names, network.states, strict=True)
        }
        for _ in range(choice.draw(st.integers(1, 6)))
    ]
    # A column of gaps only has no labels; the table is made with every label first.
    frame = pd.DataFrame(rows, columns=list(network.names), dtype=object)
    found = network.query_rows(asked, Table.from_dataframe(frame), impossible="missing", threads=2)
    assert len(found) == len(rows)
    assert found.log_evidence is not None
    for number, row in enumerate(rows):
        evidence = {name: state for name, state in row.items() if state is not None and name not in asked}
        joint = joint_twin(network, asked, evidence)
        if joint.sum() == 0:
            assert np.isnan(found.probabilities[number]).all()
            continue
        np.testing.assert_allclose(found.probabilities[number], joint / joint.sum(), atol=1e-12)
        assert found.log_evidence[number] == pytest.approx(np.log(joint.sum()), abs=1e-12)
    # Predictions leave out what is separated from the target, and so do not see that other evidence is impossible.
    target = asked[0]
    shares = network.predict_proba(Table.from_dataframe(frame), target, impossible="missing", threads=2)
    for row, share in zip(rows, shares, strict=True):
        joint = joint_twin(network, [target], {name: s for name, s in row.items() if s is not None and name != target})
        if joint.sum() > 0:
            np.testing.assert_allclose(share, joint / joint.sum(), atol=1e-12)


def test_predictions_of_complete_rows(sprinkler: BayesianNetwork) -> None:
    data = sprinkler.sample(5000, seed=1)
    shares = sprinkler.predict_proba(data, "rain", threads=1)
    assert shares.shape == (5000, 2)
    assert shares.tobytes() == sprinkler.predict_proba(data, "rain", threads=3).tobytes()
    guesses = sprinkler.predict(data, "rain")
    frame = data.to_dataframe().astype(str)
    for number in (0, 17, 4999):
        row = frame.iloc[number].to_dict()
        del row["rain"]
        one = sprinkler.query("rain", row)
        np.testing.assert_allclose(shares[number], one.probabilities, atol=1e-12)
        assert guesses[number] == one.most_probable[0]
    # The network knows the truth as well as anyone can: among rows with the share p of rain, p have it.
    assert np.mean(frame["rain"] == "yes") == pytest.approx(shares[:, 1].mean(), abs=0.02)
    # A column that is asked for, one that is unknown, and the order of columns and states do not matter.
    other = Dataset.from_dataframe(frame[["wet", "sprinkler", "cloudy"]][::-1].assign(extra="e" + frame["wet"]))
    np.testing.assert_allclose(sprinkler.predict_proba(other, "rain")[::-1], shares, atol=1e-15)
    labelled = sprinkler.query_rows(["rain", "cloudy"], other.select(["wet"])).to_frame()
    assert labelled.columns.names == ["rain", "cloudy"]
    assert labelled.shape == (5000, 4)


def test_only_the_markov_blanket_is_looked_at() -> None:
    n = 60
    rng = np.random.default_rng(5)
    dag = Dag([f"v{i}" for i in range(n)], [()] + [(i,) for i in range(n - 1)])
    network = BayesianNetwork(dag, [["a", "b"]] * n, [rng.dirichlet([1, 1], size=2 if i else 1) for i in range(n)])
    assert network.native_inference.relevant_evidence([30], [i for i in range(n) if i != 30]) == [29, 31]
    assert network.native_inference.relevant_evidence([30], [10, 20, 50]) == [20, 50]
    # More columns than one machine word can number the rows of: all of them matter to the evidence's probability.
    data = network.sample(300, seed=2)
    found = network.query_rows("v30", data)
    assert found.log_evidence is not None
    frame = data.to_dataframe().astype(str)
    for number in (0, 123, 299):
        row = frame.iloc[number].to_dict()
        del row["v30"]
        one = network.query("v30", row)
        np.testing.assert_allclose(found.probabilities[number], one.probabilities, atol=1e-12)
        assert found.log_evidence[number] == pytest.approx(one.log_evidence, rel=1e-12)


def test_rows_that_cannot_be_answered(sprinkler: BayesianNetwork) -> None:
    rows = pd.DataFrame({"sprinkler": ["no", "no", "yes"], "rain": ["no", "no", None], "wet": ["no", "yes", "yes"]})
    with pytest.raises(DataError, match=r"row 1 \(sprinkler=no, rain=no, wet=yes\) has probability 0 .* such as 'bd'"):
        sprinkler.query_rows("cloudy", rows)
    found = sprinkler.query_rows("cloudy", rows, impossible="missing")
    assert np.isnan(found.probabilities[:, 0]).tolist() == [False, True, False]
    # Given sprinkler and rain, wet says nothing of cloudy: no error, if the evidence's probability is not asked for.
    assert sprinkler.predict(rows, "cloudy").tolist() == ["no", "no", "no"]
    tables = [*sprinkler.tables[:3], [[np.nan] * 2, *sprinkler.tables[3][1:].tolist()]]
    unsure = BayesianNetwork(sprinkler.dag, sprinkler.states, tables)
    with pytest.raises(DataError, match=r"row 0 .* undefined entries"):
        unsure.predict(rows.iloc[:1], "wet")
    assert unsure.predict(rows.iloc[:1], "wet", impossible="missing").tolist() == [None]
    with pytest.raises(DataError, match=r"column 'rain' has the state 'hail', .* in 2 rows; .* no, yes"):
        sprinkler.predict(pd.DataFrame({"rain": ["hail", "hail", "no"]}), "wet")
    with pytest.raises(DataError, match="no column of the rows is a variable"):
        sprinkler.predict(pd.DataFrame({"rein": ["no", "yes"]}), "wet")
    with pytest.raises(DataError, match="'rain' is both in the rows and in the evidence"):
        sprinkler.query_rows("wet", rows, {"rain": "no"})
    with pytest.raises(OptionError, match="both asked for and observed"):
        sprinkler.query_rows("wet", rows, {"wet": "no"})
    with pytest.raises(OptionError, match="must be 'error' or 'missing'"):
        sprinkler.predict(rows, "cloudy", impossible="ignore")

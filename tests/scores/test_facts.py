"""Every score carries its facts: title, sources, needed parent limit."""

from __future__ import annotations

import dataclasses

import pytest

from arcwise.base.bibliography import BIBLIOGRAPHY
from arcwise.scores import SCORES, UniformPrior, make_score


@pytest.mark.parametrize("name", SCORES)
def test_every_score_has_all_facts_and_every_citation_resolves(name: str) -> None:
    facts = SCORES[name].FACTS
    assert facts.title and facts.in_words
    assert facts.citation in BIBLIOGRAPHY
    assert all(source.key in BIBLIOGRAPHY for source in facts.sources)
    assert str(BIBLIOGRAPHY[facts.citation].year) in facts.reference
    assert facts.equivalent or facts.asymmetric is not None
    assert facts.regular is not False or facts.irregular is not None


def test_titles_are_those_of_the_papers_and_differ() -> None:
    titles = [kind.FACTS.title for kind in SCORES.values()]
    assert len(set(titles)) == len(titles)
    assert make_score("bdeu").title == "BDeu (ess 1)"
    assert make_score("bdeu:ess=0.5").title == "BDeu (ess 0.5)"
    assert make_score("qnml").title == "qNML"
    assert make_score("max_bdeu", epsilon=0.25).title == "max-BDeu (ess 1, epsilon 0.25)"
    assert make_score("bde", prior=UniformPrior({"a": 2})).title == "BDe (prior UniformPrior, ess 1)"
    assert make_score("bdeu_averaged").title == "averaged BDeu (average log)"


def test_only_the_quotient_scores_need_a_parent_limit() -> None:
    limited = {name for name, kind in SCORES.items() if kind.FACTS.most_parents(1000) is not None}
    assert limited == {"qnml", "qbdj"}


def test_more_cases_carry_more_parents() -> None:
    sizes = (1, 149, 150, 499, 500, 1_999, 2_000, 10_000, 10**9)
    limits = [SCORES["qnml"].FACTS.most_parents(cases) for cases in sizes]
    assert limits == [2, 2, 3, 3, 4, 4, 5, 6, 6]
    assert SCORES["qnml"].FACTS.most_parents(None) == 3  # as for a few hundred
    assert SCORES["bic"].FACTS.most_parents(50) is None
    assert SCORES["bic"].FACTS.most_parents(50, [4, 4]) is None


def test_the_share_of_networks_with_the_larger_limit_grows_from_none_to_all() -> None:
    facts = SCORES["qnml"].FACTS
    before = 2.0
    for cases in range(60, 20_000, 5):
        limit = facts.most_parents(cases, growing=True)
        assert limit is not None
        mean = limit - facts.share_below(limit, cases)
        assert 0 <= mean - before < 0.13, cases
        assert limit - 1 <= mean <= limit
        before = mean
    assert before == 6
    # The sizes of the studies have the limits that the probabilities were learned with.
    for cases in (50, 100, 200, 400, 500, 800, 1000, 2000, 5000, 20_000, 50_000):
        limit = facts.most_parents(cases)
        assert limit == facts.most_parents(cases, growing=True) and facts.share_below(limit or 0, cases) == 0


def test_variables_of_many_states_have_fewer_parents() -> None:
    """A family of average variables has three cases for two cells: 5^3 = 125 of 600 cases do, 5^4 do not."""
    facts = SCORES["qnml"].FACTS
    assert [facts.most_parents(600, [states] * 8) for states in (2, 3, 4, 5, 6)] == [4, 4, 3, 2, 2]
    assert [facts.most_parents(cases, [5] * 8) for cases in (20, 100, 2_000, 50_000)] == [1, 1, 3, 5]
    assert facts.most_parents(5_000, [2, 3, 4]) == 5
    assert facts.most_parents(50, [1, 1]) == 2  # constants count as two states


def test_facts_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SCORES["bdeu"].FACTS.title = "other"  # type: ignore[misc]

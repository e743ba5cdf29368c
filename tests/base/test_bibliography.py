"""Works are cited by key, from one list."""

from __future__ import annotations

import pytest

from arcwise.base.bibliography import BIBLIOGRAPHY, Citation, find_work, list_works
from arcwise.confidence import RULES, Threshold
from arcwise.confidence.edge_confidence import CITATIONS
from arcwise.errors import UnknownNameError


def test_a_work_as_an_entry_and_in_a_text() -> None:
    work = find_work("silander-2018")
    assert str(work) == (
        "Silander, T., Leppä-aho, J., Jääsaari, E., & Roos, T. (2018). Quotient normalized maximum likelihood "
        "criterion for learning Bayesian network structures. AISTATS, 948–957."
    )
    assert work.mention == "Silander et al., 2018"
    assert find_work("kass-1995").mention == "Kass & Raftery, 1995"
    assert find_work("liao-2022").mention == "Liao, 2022"
    assert str(find_work("liao-2022")).startswith("Liao, Z. A. (2022). Improved Bayesian Network Structure Learning")


def test_a_citation_names_the_place() -> None:
    assert str(Citation("liao-2022", "section 4.2")) == "Liao 2022, section 4.2"
    assert str(Citation("scanagatta-2014")) == "Scanagatta, de Campos & Zaffalon 2014"
    assert str(Citation("gross-2019")) == "Gross et al. 2019"


def test_a_list_has_each_work_once_by_author() -> None:
    entries = list_works(["steck-2008", "kass-1995", "steck-2008"])
    assert [entry.partition(",")[0] for entry in entries] == ["Kass", "Steck"]


def test_threshold_rules_cite_their_works() -> None:
    assert {*CITATIONS, "calibrated", "cost", "fixed"} == set(RULES)
    assert set(CITATIONS.values()) <= set(BIBLIOGRAPHY)
    assert Threshold(0.5, "gross", "").citation == "gross-2019"
    assert Threshold(0.5, "fixed", "").citation is None


def test_an_unknown_key_is_told() -> None:
    with pytest.raises(UnknownNameError, match="unknown work 'laio-2022'; did you mean 'liao-2022'"):
        find_work("laio-2022")


@pytest.mark.parametrize("key", BIBLIOGRAPHY)
def test_every_entry_is_whole(key: str) -> None:
    work = BIBLIOGRAPHY[key]
    assert key == key.lower()
    assert key.endswith(f"-{work.year}")
    assert all(", " in author and author.endswith(".") for author in work.authors)
    assert work.title and not work.title.endswith(".")
    assert work.venue and not work.venue.endswith(".")

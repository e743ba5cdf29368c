"""What a report says about a source of networks: its account, its choices, its part of the methods section.

A source without words of its own here is described by its facts (`arcwise.ensemble.sources.Source`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from arcwise.analysis.prose.bounds import bound_words, restriction
from arcwise.option import options_of

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.analysis.averaged import Averaged
    from arcwise.ensemble import Recipe

__all__ = [
    "Choice",
    "account_of_sample",
    "cited_for_networks",
    "completeness",
    "ensemble_title",
    "methods_of_networks",
    "setting_choices",
]

# What was chosen, its value, why, and how to change it.
Choice = tuple[str, str, str, str]

_WHY = {
    "bayes_factor": "beyond 20 the evidence against a network is called strong (Kass and Raftery 1995)",
    "replicates": "the standard error of a confidence is at most 0.5 / sqrt(replicates)",
    "recut": "they are estimates, and part of the uncertainty",
}
_NAMES = {"bayes_factor": "Bayes factor", "recut": "cut points"}


def setting_choices(analysis: Analysis) -> list[Choice]:
    """Return the settings of the main source that an option of `learn` can change."""
    recipe, known = analysis.main.recipe, {item.name: item for item in options_of(analysis.options)}
    return [
        (
            _NAMES.get(item.name, item.name.replace("_", " ")),
            _shown(recipe.settings.get(item.name, item.default)),
            _WHY.get(item.name, item.help),
            known[item.name].flag,
        )
        for item in options_of(recipe.source_facts.Settings)
        if item.name in known and item.name in recipe.settings  # what is off is not told
    ]


def _shown(value: object) -> str:
    if value is True:
        return "anew in each replicate"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def ensemble_title(analysis: Analysis) -> str:
    """Return the heading of the section about the networks."""
    titles = {
        "credible": "The networks that the data cannot rule out",
        "bootstrap": "The resampled networks",
        "posterior": "The networks drawn from the posterior",
        "search": "The network",
        "optimum": "The network",
    }
    return titles.get(analysis.main.recipe.source, f"The {analysis.main.recipe.source_facts.networks}")


def account_of_sample(analysis: Analysis) -> str:
    """Say how a sample of networks came about, and how accurate it is."""
    confidence, source = analysis.confidence, analysis.main.recipe.source_facts
    how = {
        "bootstrap": f"{_one_or(confidence.n_networks)} learned, each from {analysis.data.n_cases:,} cases "
        "drawn with replacement from the data (the bootstrap).",
        "posterior": f"{confidence.n_networks:,} networks were drawn {_way_of_drawing(analysis)} from all "
        f"{restriction(analysis.main.recipe, 'networks') or 'networks'}, each in proportion to its posterior "
        f"probability. {analysis.main.verdict.get('sentence', '')}".rstrip(),
        "search": f"{_one_or(confidence.n_networks)} found by hill climbing on the data.",
        "optimum": f"{_one_or(confidence.n_networks)} found by search for the best score.",
    }.get(source.name, f"There are {confidence.n_networks:,} {source.networks} ({source.title}: {source.meaning}).")
    if confidence.n_networks == 1:
        return f"{how} It has an edge or not: that is no measure of how far the edge can be trusted."
    text = f"{how} The confidence in an edge is the share of the networks that have it."
    if not source.is_sample or analysis.data.n_variables < 2:
        return text
    worst = float(confidence.standard_error.max())
    return f"{text} With this many networks a confidence is accurate to about ±{2 * worst:.2f} at worst."


def _one_or(count: int) -> str:
    """Return "One network was" or "12 networks were"."""
    return "One network was" if count == 1 else f"{count:,} networks were"


def cited_for_networks(averaged: Averaged) -> str:
    """Return the work that says how the networks were found: for a posterior, by chains or by sums."""
    source = averaged.recipe.source_facts
    return "talvitie-2019" if source.name == "posterior" and not averaged.verdict else source.citation


def _way_of_drawing(analysis: Analysis) -> str:
    """Say how the networks of a posterior were drawn."""
    return "by Markov chains" if analysis.main.verdict else "independently of each other, by sums over all of them,"


def completeness(recipe: Recipe) -> str:
    """Say of what a set is complete: "complete among networks with at most 3 parents per variable"."""
    return f"complete{restriction(recipe, ' among networks')}"


def methods_of_networks(analysis: Analysis) -> str:
    """Return the sentences of a methods section on how the networks were found and averaged."""
    recipe = analysis.main.recipe
    known: dict[str, Callable[[Analysis], str]] = {
        "credible": _credible_methods,
        "bootstrap": _bootstrap_methods,
        "posterior": _posterior_methods,
        "search": _search_methods,
        "optimum": _optimum_methods,
    }
    words = known.get(recipe.source, _any_methods)
    if recipe.source == "credible" and analysis.main.credible is None:
        words = _any_methods  # the best part of a set, or the sets of several completions
    which = " that satisfy the constraints" if analysis.constraints is not None else ""
    classes = (
        f"; directions were counted only where they are shared by all members of a network's equivalence class{which}."
        if analysis.confidence.orient == "cpdag"
        else "; directions are those of the networks themselves."
    )
    return words(analysis) + classes


def _score(recipe: Recipe) -> str:
    """Return "the BIC score", or "the BIC score and the prior odds"."""
    return f"the {recipe.score_title} score{' and the prior odds' if recipe.beliefs else ''}"


def _credible_methods(analysis: Analysis) -> str:
    main, facts = analysis.main, analysis.main.credible
    count = main.count if facts is None else facts.count
    classes = ""
    if facts is not None and facts.classes is not None:
        classes = f", in {facts.classes:,} Markov equivalence class{'' if facts.classes == 1 else 'es'}"
    gave = f"which gave a credible set of {count:,} network{'' if count == 1 else 's'}{classes}"
    if facts is None:  # of completions, each has its own set
        gave = f"which gave {count:,} networks in all"
    which = restriction(main.recipe, "networks") or "networks"
    return (
        f"All {which} within a Bayes factor of {main.recipe.settings['bayes_factor']:g} (Kass & Raftery, 1995) of the "
        f"best one under {_score(main.recipe)} were enumerated exactly, {gave} (Liao, 2022). The "
        "confidence in an edge is the share of the networks that have it, weighted by their scores"
    )


def _bootstrap_methods(analysis: Analysis) -> str:
    recipe = analysis.main.recipe
    limit = restriction(recipe, "").replace(" with", ", with", 1)
    return (
        f"We learned {analysis.confidence.n_networks:,} networks by {recipe.settings['learner']} search under "
        f"{_score(recipe)}{limit}, each from a bootstrap sample of the cases (Friedman et al., 1999)"
        f"{', whose numbers were cut anew' if recipe.recuts else ''}. The "
        "confidence in an edge is the share of the networks that have it"
    )


def _posterior_methods(analysis: Analysis) -> str:
    recipe, verdict = analysis.main.recipe, analysis.main.verdict
    which = restriction(recipe, "directed acyclic graphs") or "directed acyclic graphs"
    state = "until they agreed" if verdict.get("converged") else "but they had not converged"
    how = (
        f"by {verdict['chains']} Markov chains (Su & Borsuk, 2016), {state} (rank-normalised R-hat below 1.01 and "
        "differences below 0.02 for every pair are asked for)"
        if verdict
        else "independently of each other, by exact sums over all of them (Talvitie et al., 2019)"
    )
    return (
        f"We drew {analysis.confidence.n_networks:,} networks from the posterior over all {which} under the "
        f"{recipe.score_title} score and a uniform prior {how}. "
        "The confidence in an edge is the share of the networks that have it"
    )


def _search_methods(analysis: Analysis) -> str:
    recipe = analysis.main.recipe
    limit = restriction(recipe, "").replace(" with", ", with", 1)
    each = "" if analysis.confidence.n_networks == 1 else " in each of the completions of the data"
    return f"We looked for a network by hill climbing under {_score(recipe)}{limit}{each}; no confidence was computed"


def _optimum_methods(analysis: Analysis) -> str:
    main = analysis.main
    limit = restriction(main.recipe, "").replace(" with", ", with", 1)
    best = main.optimum
    known = "" if best is None else f": {bound_words(best, main.recipe)}"
    return (
        f"We looked for the network with the best {_score(main.recipe)[4:]}{limit}{known}; no confidence was computed"
    )


def _any_methods(analysis: Analysis) -> str:
    recipe = analysis.main.recipe
    return (
        f"We made {analysis.confidence.n_networks:,} networks under {_score(recipe)} "
        f"({recipe.source_facts.title}: {recipe.source_facts.meaning}). The confidence in an edge is the share of the "
        "networks that have it"
    )

"""A methods section, ready to paste into a paper, with its references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.analysis.edges import HALF
from arcwise.analysis.prose.beliefs import beliefs_text
from arcwise.analysis.prose.choices import versions
from arcwise.analysis.prose.constraints import constraints_text, price_methods
from arcwise.analysis.prose.experiments import EXPERIMENT_WORKS, methods_of_experiments
from arcwise.analysis.prose.gaps import completion_methods
from arcwise.analysis.prose.sources import cited_for_networks, methods_of_networks
from arcwise.analysis.thresholds import RuleName
from arcwise.bibliography import list_works
from arcwise.confidence.consensus import Fate

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis

__all__ = ["methods_text", "references"]


def methods_text(analysis: Analysis) -> str:
    """Return the methods section in the past tense."""
    options, data = analysis.options, analysis.data
    prepared = " ".join(("", *analysis.prepared.steps))
    parts = [
        f"We learned the structure of a discrete Bayesian network over {data.n_variables} variables from "
        f"{data.n_cases:,} cases with arcwise {versions().get('arcwise', '')}.{prepared}"
    ]
    if analysis.constraints is not None:
        parts.append(f"Every network had to satisfy these constraints: {constraints_text(analysis.constraints)}.")
        parts += [price_methods(analysis)] if analysis.price is not None else []
    if options.beliefs is not None:
        parts.append(
            "Networks were weighed by prior odds as well as by the data; an arc's odds are those of a network with it "
            f"against the same network without it: {beliefs_text(options.beliefs, data.n_variables)}."
        )
    if experiments := methods_of_experiments(analysis):
        parts.append(experiments)
    parts.append(methods_of_networks(analysis))
    if completed := completion_methods(analysis):
        parts.append(completed)
    cost = options.missed_edge_cost
    as_much = "as much" if cost == 1 else f"{cost:g} times as much"
    if options.threshold is not None:
        cut = f"Edges with a confidence above {analysis.threshold:.3g} were kept."
    elif analysis.thresholds.chosen.label is RuleName.CALIBRATED:
        why = f"the cut-off of least expected cost if a missed edge costs {as_much} as an extra one"
        if options.false_rate is not None:
            why = f"the lowest cut-off with an expected share of false edges of at most {options.false_rate:.3g}"
        cut = (
            f"Edges with a confidence above {analysis.threshold:.3g} were kept, {why}, by probabilities that "
            f"{analysis.probability.calibration.basis}; {analysis.expected.false:.1f} of the "
            f"{analysis.expected.edges:,} edges are expected to be false, and {analysis.expected.missed:.1f} to be "
            "missing."
        )
    elif analysis.thresholds.chosen.label is RuleName.LEARNED:
        cut = (
            f"Edges with a confidence above {analysis.threshold:.3g} were kept: on data sets sampled from known "
            f"networks this cut-off has the least cost if a missed edge costs {as_much} as an extra one (Liao, 2022)."
        )
    else:
        cut = (
            f"Edges with a confidence above {analysis.threshold:.3g} were kept, the cut-off of least expected cost if "
            f"a missed edge costs {as_much} as an extra one."
        )
    fates = [edge.fate for edge in analysis.consensus.dropped]
    for fate in dict.fromkeys(fates):
        dropped = fates.count(fate)
        reason = "would have closed a cycle" if fate is Fate.DROPPED else "the constraints exclude"
        cut += f" {dropped} edge{'s' if dropped > 1 else ''} that {reason} {'were' if dropped > 1 else 'was'} left out."
    s = analysis.prior.sensitivity
    parts.append(cut)
    parts.append(
        f"Parameters are posterior means under a BDeu prior with equivalent sample size {s.ess:g}. The score of the "
        f"network varied by {s.relative:.2%} over an ε-contaminated set of priors (ε = {s.epsilon:g}; Scanagatta et "
        "al., 2014)."
    )
    if analysis.comparisons:
        titles = "; ".join(other.title for other in analysis.comparisons)
        kept = [e for e in analysis.edges if e.fate.in_network and not e.origin.kind.is_decided]
        robust = sum(e.spread[0] > HALF for e in kept)
        forced = " that were not required" if analysis.constraints is not None else ""
        parts.append(
            f"As a check of robustness, the confidences were also computed by other methods and scores ({titles}): "
            f"{robust} of the {len(kept)} edges{forced} had a confidence above one half under all of them."
        )
    parts.append(f"The random seed was {options.seed}.")
    return " ".join(parts)


# The rules whose authors are cited where their cut-off is marked.
RULE_WORKS = {
    RuleName.LEARNED: "liao-2022",
    RuleName.SCUTARI: "scutari-2013",
    RuleName.GROSS: "gross-2019",
    RuleName.BROOM: "broom-2012",
}


def references(analysis: Analysis) -> tuple[str, ...]:
    """Return the works that the methods section and the report refer to, by author."""
    wanted = {"liao-2022", "scanagatta-2014", "steck-2008"}
    for averaged in analysis.sets:
        wanted |= {averaged.recipe.scorer.facts.citation, cited_for_networks(averaged)} - {""}
    if analysis.gaps is not None:
        wanted.add("tanner-1987")
    if analysis.options.beliefs is not None and analysis.options.beliefs.fair_sizes:
        wanted.add("koivisto-2004")
    if analysis.main.credible is not None:
        wanted.add("kass-1995")
    if analysis.data.targets is not None:
        wanted |= EXPERIMENT_WORKS
    wanted |= {RULE_WORKS[mark.label] for mark in analysis.thresholds.marks if mark.label in RULE_WORKS}
    return list_works(wanted)

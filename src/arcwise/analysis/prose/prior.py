"""What the strength of the prior does to the edges, in plain words: for people who have never heard of an ESS.

BDeu starts as if it had seen some imagined cases, spread evenly over all combinations of states. How many they count
for is the equivalent sample size; here it is called the strength of the prior. Values from 1 (Ueno's advice, and the
default of most programs) to 50 (above the largest that Steck's Table 1 finds best, 44) are in use, so an edge that BDeu
supports at all of them does not depend on that choice, whatever happens at a thousandth or at 100,000.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from arcwise.analysis.edges import EdgeFinding
from arcwise.report.content.blocks import Bullets, Paragraph

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.priors import EdgePrior
    from arcwise.report.content.blocks import Block

__all__ = ["USUAL", "prior_blocks", "prior_sentence", "prior_support"]

USUAL = (1.0, 50.0)
MOST_LISTED = 6

Support = Literal["always", "usual", "depends", "never"]


def prior_support(prior: EdgePrior) -> Support:
    """Say whether BDeu supports an edge at every strength, at all usual ones, at some of these, or at none of them."""
    if (prior.exact > 0).all():
        return "always"
    low, high = USUAL
    if any(low < change < high for change in prior.sign_changes):
        return "depends"
    inside = prior.exact[(prior.ess >= low * (1 - 1e-9)) & (prior.ess <= high)]
    return "usual" if inside.size and bool((inside > 0).all()) else "never"


def prior_sentence(edge: EdgeFinding) -> str:
    """Say whether an edge depends on the strength of the prior, what that means, and what to do."""
    prior = edge.prior
    if prior is None:
        return ""
    support = prior_support(prior)
    arc = f"{edge.tail} → {edge.head}"
    beside = f", over and above {_listed(prior.given)}," if prior.given else ""
    usual = f"{USUAL[0]:g} to {USUAL[1]:g} imagined cases added to the data"
    if support == "always":
        return f"It does not depend on the prior: BDeu supports {arc}{beside} at any strength of the prior."
    if support == "usual":
        return f"It does not depend on the prior: BDeu supports {arc}{beside} at every usual strength ({usual})."
    if support == "never":
        where = _where(prior)
        if not where:
            return f"Take care: BDeu supports {arc}{beside} at no strength of the prior."
        return (
            f"Take care: BDeu supports {arc}{beside} only {where}, and at none of the usual strengths ({usual})."
            f"{_made_by_prior(prior)}"
        )
    return (
        f"It depends on the prior: BDeu supports {arc}{beside} {_where(prior)}, and not otherwise. Usual values are "
        f"{USUAL[0]:g} to {USUAL[1]:g}. These data alone do not decide it: say so when you report "
        "the edge, or collect more cases."
        f"{_made_by_prior(prior)}"
    )


def _made_by_prior(prior: EdgePrior) -> str:
    if prior.exact[-1] > 0 and prior.cause == "skewness":
        return (
            " A strong prior supports the edge only because some states are rare: the two variables show no dependence "
            "of their own."
        )
    return ""


def _where(prior: EdgePrior) -> str:
    """Say at which strengths the edge is supported: "if the prior counts for at least 5.1 imagined cases"."""
    ends = [float(prior.ess[0]), *prior.sign_changes, float(prior.ess[-1])]
    parts = []
    for number, (low, high) in enumerate(pairwise(ends)):
        if not (prior.exact[(prior.ess >= low) & (prior.ess <= high)] > 0).any():
            continue
        if number == 0:
            parts.append(f"for less than {_cases(high)}")
        elif number == len(ends) - 2:
            parts.append(f"for at least {_cases(low)}")
        else:
            parts.append(f"for {_number(low)} to {_cases(high)}")
    return f"if the prior counts {' or '.join(parts)}" if parts else ""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _cases(value: float) -> str:
    text = _number(value)
    if value < 1:
        return f"{text} of an imagined case"
    return f"{text} imagined case{'' if text == '1' else 's'}"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def prior_blocks(analysis: Analysis) -> list[Block]:
    """Say what the prior is, which edges depend on its strength, how far it moves the score, and what to do."""
    checks = analysis.prior
    s = checks.sensitivity
    usual = f"{USUAL[0]:g} to {USUAL[1]:g}"
    own = "ess" in analysis.main.recipe.score
    title = analysis.main.recipe.score_title
    uses = (
        f"The confidences above come from {title}."
        if own
        else f"The confidences above come from {title}, which has no such setting; so this is a check with BDeu, which "
        "has."
    )
    blocks: list[Block] = [
        Paragraph(
            "What the prior is: BDeu starts as if it had already seen a few imagined cases, spread evenly over all "
            "combinations of states. The number of cases that they count for is the strength of the prior (its "
            f"equivalent sample size, ESS); {usual} is usual, against the {analysis.data.n_cases:,} real cases here. "
            "An edge that BDeu supports at every strength rests on the data. One that comes and goes with the strength "
            f"rests on that choice, too. {uses}"
        )
    ]
    kept = [edge for edge in analysis.edges if edge.fate.in_network and edge.prior is not None]
    if kept:
        blocks += _by_support(kept)
    strength = "little" if s.relative < 0.01 else "somewhat" if s.relative < 0.05 else "much"
    text = (
        f"For the network as a whole the prior matters {strength}: if half of the imagined cases of every variable may "
        f"lie anywhere instead of being spread evenly, its log score can be anything from {s.lower:,.1f} to "
        f"{s.upper:,.1f}, a range of {s.relative:.2%} of the score (contamination by {s.epsilon:.0%}; Scanagatta et "
        "al. 2014)."
    )
    if s.value > 0:
        worst = np.argsort(-s.by_node, kind="stable")[:3]
        listed = ", ".join(f"{s.names[v]} ({s.by_node[v] / s.value:.0%})" for v in worst)
        text += f" Most of that range comes from {listed}."
    blocks.append(Paragraph(text))
    if checks.alpha_star is not None:
        blocks.append(
            Paragraph(
                f"The probability tables use a strength of {s.ess:g}. A formula of Steck's (2008) suggests "
                f"{_number(checks.alpha_star)} for this network and these data: a value to try if an edge that you "
                f"care about depends on it (--score bdeu --ess {_number(checks.alpha_star).replace(',', '')})."
            )
        )
    return blocks


def _by_support(kept: list[EdgeFinding]) -> list[Block]:
    """Count the edges that do not depend on the strength of the prior, and list those that do."""
    groups: dict[str, list[EdgeFinding]] = {"always": [], "usual": [], "depends": [], "never": []}
    for edge in kept:
        assert edge.prior is not None
        groups[prior_support(edge.prior)].append(edge)
    firm = len(groups["always"]) + len(groups["usual"])
    all_of = {1: "the edge", 2: "both edges"}.get(len(kept), f"all {len(kept):,} edges")
    if firm == len(kept):
        return [Paragraph(f"Here BDeu supports {all_of} of the network at every usual strength of the prior.")]
    count = f"{firm:,} of the {len(kept):,} edges of the network" if firm else "none of the edges of the network"
    items = []
    if groups["depends"]:
        items.append(f"These depend on it: {_some(groups['depends'])}. Report them as such, or collect more cases.")
    if groups["never"]:
        items.append(f"These BDeu supports at no usual strength: {_some(groups['never'])}. Treat them with care.")
    return [Paragraph(f"Here BDeu supports {count} at every usual strength of the prior."), Bullets(tuple(items))]


def _some(edges: list[EdgeFinding]) -> str:
    parts = []
    for edge in edges[:MOST_LISTED]:
        assert edge.prior is not None
        where = _where(edge.prior)
        parts.append(
            f"{edge.tail} → {edge.head}" + (f" ({where.removeprefix('if the prior counts ')})" if where else "")
        )
    more = f" and {len(edges) - MOST_LISTED:,} more" if len(edges) > MOST_LISTED else ""
    return "; ".join(parts) + more

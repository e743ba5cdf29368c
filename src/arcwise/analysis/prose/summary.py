"""What was found, in a few sentences that name it: the edges, the variables, and what is doubtful."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from arcwise.analysis.edges import EdgeFinding
from arcwise.analysis.prose.beliefs import contradiction_sentence
from arcwise.analysis.prose.bounds import bound_words
from arcwise.analysis.prose.constraints import constraint_summary
from arcwise.analysis.prose.edges import effect_sentence
from arcwise.analysis.thresholds import RuleName
from arcwise.confidence.consensus import Fate
from arcwise.report.content.numbers import show_range
from arcwise.report.content.trust import Trust

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis

__all__ = ["summary_sentences"]

# Data without dependence pass for more than chance this often (the level of Broom's rule).
CHANCE = 0.05
# So many edges or variables are named; of more, the count.
MOST_NAMED = 5
# A variable with fewer edges is not called a centre.
CENTRE = 4


def summary_sentences(analysis: Analysis) -> tuple[str, ...]:
    """Say in a few sentences what was found, the best supported first."""
    kept = [e for e in analysis.edges if e.fate.in_network]
    if not kept and not analysis.has_few_networks:
        n = analysis.data.n_variables
        whose = "the data show no edge" if analysis.constraints is None else "within your constraints there is no edge"
        first = f"None of the {n * (n - 1) // 2:,} pairs of variables has a confidence above {analysis.threshold:.2g}"
        return (f"{first}: {whose}.", *constraint_summary(analysis), *_closing(analysis))
    if analysis.has_few_networks:
        few = (_lead(analysis, kept), _strongest(analysis, kept), *constraint_summary(analysis), *_closing(analysis))
        return tuple(sentence for sentence in few if sentence)
    expected = analysis.expected.sentence() if analysis.probability.calibration.kind != "none" else ""
    found = (
        _lead(analysis, kept),
        _strongest(analysis, kept),
        _disputed(kept),
        expected,
        _centres(analysis, kept),
        _apart(analysis, kept),
        _directions(kept),
        *constraint_summary(analysis),
        *_closing(analysis),
    )
    return tuple(sentence for sentence in found if sentence)


def _lead(analysis: Analysis, kept: list[EdgeFinding]) -> str:
    """Say how many edges every method supports, and how many are disputed."""
    if analysis.has_few_networks:
        count = analysis.confidence.n_networks
        only = "Only one network was learned" if count == 1 else f"Only {count:,} networks were learned"
        best = analysis.main.optimum
        if best is not None and analysis.main.asked is None:  # one network is what was asked for
            return (
                f"The best network has {_edges(len(kept))} and the score {best.score:.6f}: "
                f"{bound_words(best, analysis.main.recipe)}. How far each edge can be trusted, one network does not "
                "say: a method that averages does."
            )
        return (
            f"{only}, with {_edges(len(kept))} above the cut-off. Shares of so few say nothing about how far an edge "
            "can be trusted: take this as a first guess, and allow more time."
        )
    told = [e for e in kept if not e.origin.kind.is_decided]
    if not told:
        return f"{_edges(len(kept)).capitalize()}, all required by you: the data add none."
    if all(e.trust is Trust.ALONE for e in told):
        return f"{_edges(len(told)).capitalize()}, by the {analysis.main.title} alone: no other method was asked."
    counts = Counter(e.trust for e in told)
    supported, disputed, weak = (
        counts[Trust.AGREED] + counts[Trust.VARIED],
        counts[Trust.DISPUTED],
        counts[Trust.WEAK],
    )
    asked = len(kept[0].by_method)
    rest = f", and {weak:,} that none finds likely" if weak else ""
    required = f"; {len(kept) - len(told):,} more because you required them" if len(told) < len(kept) else ""
    return (
        f"{_edges(supported).capitalize()} that every method supports, {disputed:,} disputed{rest} ({asked} "
        f"combinations of method and score were asked){required}."
    )


def _strongest(analysis: Analysis, kept: list[EdgeFinding]) -> str:
    """Name the strongest of the edges that every method supports, and say what the first one does."""
    sure = [e for e in kept if e.trust.is_supported]
    of = sure or [e for e in kept if not e.origin.kind.is_decided]
    if not of:
        return ""
    ranked = sorted(of, key=lambda e: -e.information)
    names = _listed([_name(e) for e in ranked])
    which = "Every method supports" if sure else "Found"
    if len(ranked) > MOST_NAMED:
        which += ", the strongest first"
    effect = effect_sentence(analysis.data, ranked[0])
    return f"{which}: {names}.{f' {effect}' if effect else ''}"


def _disputed(kept: list[EdgeFinding]) -> str:
    """Name the edges that another method or score does not believe, the most doubtful first."""
    doubtful = sorted((e for e in kept if e.trust is Trust.DISPUTED), key=lambda e: e.spread[0])
    if not doubtful:
        return ""
    names = _listed([f"{_name(e)} ({show_range(*e.spread)})" for e in doubtful])
    return f"Methods disagree on {names}: report the range, or call {_it(doubtful)} not established."


def _centres(analysis: Analysis, kept: list[EdgeFinding]) -> str:
    """Name the variables with most edges."""
    degree = Counter(name for e in kept for name in (e.first, e.second))
    most = max(degree.values())
    best = [name for name in analysis.data.names if degree[name] == most]
    if most < CENTRE or len(best) > 2:
        return ""
    who = " and ".join(best)
    return f"{who} {'has' if len(best) == 1 else 'have'} most edges, {most:,}{' each' if len(best) > 1 else ''}."


def _apart(analysis: Analysis, kept: list[EdgeFinding]) -> str:
    """Name the variables without an edge."""
    joined = {name for e in kept for name in (e.first, e.second)}
    alone = [name for name in analysis.data.names if name not in joined]
    if not alone:
        return ""
    return f"No edge joins {_listed(alone, 'or')} to another variable."


def _directions(kept: list[EdgeFinding]) -> str:
    """Name the directions that the data settle, and say how many the analyst did."""
    turned = [e for e in kept if e.is_settled]
    settled = [e for e in turned if e.is_settled_by_data]
    said = len(turned) - len(settled)
    yours = f" You settle that of {said:,} by what you said." if said else ""
    caution = "A direction is not a cause: it says what independences the data show."
    if not settled:
        only = "the edge" if len(kept) == 1 else "any edge"
        return f"The data do not settle the direction of {only}.{yours} {caution}"
    names = _listed([f"{e.tail} → {e.head}" for e in sorted(settled, key=lambda e: -e.information)])
    rest = [e for e in kept if not e.is_settled]
    judged = any(e.way_probability is not None for e in rest)  # else by the share of the networks
    be = "is" if len(rest) == 1 else "are"
    doubt = f"{be} not sure enough to call" if judged else "the networks disagree"
    others = f"; {_edges(len(rest))} could be turned round, or {doubt}" if rest else ""
    return f"The data settle the direction of {names}{others}.{yours} {caution}"


def _name(edge: EdgeFinding) -> str:
    return f"{edge.tail} {'→' if edge.fate.is_arc and edge.is_settled else '—'} {edge.head}"


def _it(edges: list[EdgeFinding]) -> str:
    return "it" if len(edges) == 1 else "them"


def _edges(count: int) -> str:
    return "1 edge" if count == 1 else "no edge" if count == 0 else f"{count:,} edges"


def _listed(names: list[str], joint: str = "and") -> str:
    """Return names as a list in words, the first five and how many more."""
    if len(names) > MOST_NAMED + 1:
        return f"{', '.join(names[:MOST_NAMED])} {joint} {len(names) - MOST_NAMED:,} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joint} {names[-1]}"


def _closing(analysis: Analysis) -> tuple[str, ...]:
    dropped = analysis.consensus.dropped
    sentences = [told] if (told := contradiction_sentence(analysis)) else []
    broom = analysis.thresholds.find(RuleName.BROOM)
    # With few permutations no p-value is small, and so a large one says nothing.
    tried = analysis.options.permutations
    enough = tried is None or 1 / (tried + 1) <= CHANCE
    if enough and broom is not None and broom.threshold.details["p_value"] > CHANCE:
        facts = broom.threshold.details
        sentences.append(
            "Beware: with this method and score, data whose columns were shuffled show "
            f"{facts['certain_by_chance']:.1f} nearly certain edges on average, these data "
            f"{facts['certain_edges']:.1f}. That is not more than chance: there is no dependence, or the score finds "
            "edges where there are none. Look at the other scores, and try --score bdeu or --score bic."
        )
    for why in dict.fromkeys(e.fate for e in dropped):
        listed = [f"{e.tail} → {e.head}" for e in dropped if e.fate is why]
        one = len(listed) == 1
        reason = "would close a cycle and" if why is Fate.DROPPED else "cannot be had within the constraints and"
        sentences.append(
            f"{len(listed)} edge{'' if one else 's'} above the cut-off {reason} {'is' if one else 'are'} left out of "
            f"the network: {', '.join(listed[:5])}."
        )
    return tuple(sentences)

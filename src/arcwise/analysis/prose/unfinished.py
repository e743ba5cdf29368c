"""What is known of a set of networks that a limit ended, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.analysis.averaged import Shortfall
from arcwise.analysis.prose.bounds import bound_words, factor_words
from arcwise.analysis.remark import Remark
from arcwise.limits import Status

if TYPE_CHECKING:
    from arcwise.analysis.averaged import Averaged
    from arcwise.ensemble import Recipe

__all__ = ["known_words", "remedy_words", "unfinished_remark", "why_unfinished"]

# With so few parents most tables fit.
FEW_PARENTS = 3


def remedy_words(status: Status, recipe: Recipe, scored: int | None = None) -> str:
    """Say what would make a set fit its limit; `scored` is how many parents it has come to."""
    fewer = scored or FEW_PARENTS
    if recipe.max_parents is not None and recipe.max_parents <= fewer:
        fewer = recipe.max_parents - 1
    ways = [] if status is Status.MEMORY_LIMIT else ["allow more time (--limit-seconds)"]
    ways += [f"ask for fewer parents (--max-parents {fewer})"] if fewer > 0 else []
    ways += [] if recipe.score.get("name") == "bic" else ["take another score (--score bic prunes best)"]
    words = ", ".join([*ways, "or use --method bootstrap"]) if ways else "use --method bootstrap"
    return f"{words[0].upper()}{words[1:]}."


def why_unfinished(given_up: Averaged) -> str:
    """Say where the set ended: "its networks could not all be counted (time limit)"."""
    scored = _scored(given_up)
    upto = "" if scored is None else f" beyond sets of {scored}"
    what = {
        Shortfall.TABLE: f"the table of parent sets could not be completed{upto}",
        Shortfall.NETWORKS: "its networks could not all be counted",
    }.get(given_up.shortfall or Shortfall.NETWORKS, "too few completions were finished")
    return f"{what} ({given_up.status})"


def _scored(given_up: Averaged) -> int | None:
    return None if given_up.unfinished is None else given_up.unfinished.most_parents


def known_words(given_up: Averaged) -> str:
    """Say what is known where a comparison has no set: the best network and its bound, and a smaller set's count."""
    unfinished = given_up.unfinished
    if unfinished is None:
        return ""
    parts = []
    if unfinished.found is not None:
        proved = bound_words(unfinished.found, given_up.recipe)
        parts.append(f"the best network found has the score {unfinished.found.score:.6f}, and {proved}")
    if "reached_count" in unfinished.facts:
        count, slack = int(unfinished.facts["reached_count"]), float(unfinished.facts["reached_slack"])
        parts.append(f"{count:,} network{' is' if count == 1 else 's are'} within {factor_words(slack)} of the best")
    return "; ".join(parts)


def unfinished_remark(shown: Averaged, given_up: Averaged, *, gaps: bool) -> Remark:
    """Say that the set is not complete, what is shown in its place, and what is known about the best network."""
    best = shown.optimum
    asked = f"{given_up.recipe.settings['bayes_factor']:g}"
    begin = f"The credible set at a Bayes factor of {asked} is not complete: {why_unfinished(given_up)}. What is shown"
    proved = "" if best is None else bound_words(best, given_up.recipe)
    if shown.shortfall is Shortfall.SMALLER:
        factor = f"{shown.recipe.settings['bayes_factor']:.3g}"
        many = f"all {shown.count:,} networks" if shown.count != 1 else "the one network"
        text = (
            f"{begin} is the average over {many} within a Bayes factor of {factor} of the best, which were all found. "
            "Others that the data cannot rule out have no part in it, so that confidences tend to be nearer to 0 and 1 "
            "than those of the whole set."
        )
        text += "" if best is None else f" The best network has the score {best.score:.6f}: {proved}."
    else:
        assert best is not None
        where = " of one completion of the data" if gaps else ""
        text = (
            f"{begin} is the best network{where} that was found, with the score {best.score:.6f}: {proved}. It is "
            "there to be looked at, and says nothing of how far its edges can be trusted."
        )
    return Remark(
        f"{text} {remedy_words(given_up.status, given_up.recipe, _scored(given_up))}",
        by_time=Status.TIME_LIMIT in (given_up.status, shown.status),
    )

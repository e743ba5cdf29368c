"""The verdict on chains that drew from several completions of data with gaps, one run of chains from each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arcwise.ensemble.chains.chain_posterior import CHAINS
from arcwise.ensemble.chains.diagnostics import few_parents_sentence

__all__ = ["joined_chain_facts"]


def joined_chain_facts(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the facts of networks say of the chains that drew them; nothing if no chain drew any.

    What cannot be told from the parts is left out: the order of the draws, and with it effective numbers for each pair.
    """
    told = [facts["verdict"] for facts in parts if facts.get("verdict")]
    if not told:
        return {}
    worst = max(told, key=lambda verdict: (not verdict["converged"], verdict["largest_difference"]))
    known = [verdict["r_hat"] for verdict in told]
    cut_short = [verdict["most_parents"] for verdict in told if verdict.get("most_parents") is not None]
    least = min(cut_short, default=None)
    disagree = sum(not verdict["converged"] for verdict in told)
    if disagree:
        sentence = (
            f"In {disagree:,} of {len(told):,} completions the chains did not converge; in the worst: "
            f"{worst['sentence']}"
        )
    else:
        sentence = (
            f"Converged: in each of {len(told):,} completions {worst['chains']} chains agree (largest difference "
            f"{worst['largest_difference']:.3f}).{few_parents_sentence(least)}"
        )
    verdict = {
        "converged": not disagree,
        "chains": worst["chains"],
        "draws": sum(verdict["draws"] for verdict in told),
        "r_hat": None if None in known else max(known),
        "effective": _sum(verdict["effective"] for verdict in told),
        "score_effective": _sum(verdict["score_effective"] for verdict in told),
        "largest_difference": worst["largest_difference"],
        "differing": worst["differing"],
        "sentence": sentence,
        **({} if least is None else {"most_parents": least}),
    }
    return {CHAINS: worst["chains"], "verdict": verdict}


def _sum(values: Any) -> float | None:
    """Return the sum of effective numbers; None if one is not known."""
    found = list(values)
    return None if None in found else float(sum(found))

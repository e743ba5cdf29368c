"""A methods section, ready to paste into a paper, with its references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.analysis.edges import HALF
from arcwise.analysis.prose.choices import versions

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis

__all__ = ["methods_text", "references"]

LIAO = (
    "Liao, Z. A. (2022). Improved Bayesian Network Structure Learning in the Model Averaging Paradigm. PhD thesis, "
    "University of Waterloo."
)
SOURCES: dict[str, str] = {
    "liao": LIAO,
    "qnml": "Silander, T., Leppä-aho, J., Jääsaari, E., & Roos, T. (2018). Quotient normalized maximum likelihood "
    "criterion for learning Bayesian network structures. AISTATS, 948–957.",
    "bdeu": "Heckerman, D., Geiger, D., & Chickering, D. M. (1995). Learning Bayesian networks: the combination of "
    "knowledge and statistical data. Machine Learning, 20, 197–243.",
    "bic": "Schwarz, G. (1978). Estimating the dimension of a model. Annals of Statistics, 6, 461–464.",
    "kass": "Kass, R. E., & Raftery, A. E. (1995). Bayes factors. Journal of the American Statistical Association, 90, "
    "773–795.",
    "friedman": "Friedman, N., Goldszmidt, M., & Wyner, A. (1999). Data analysis with Bayesian networks: a bootstrap "
    "approach. UAI, 196–205.",
    "scanagatta": "Scanagatta, M., de Campos, C. P., & Zaffalon, M. (2014). Min-BDeu and Max-BDeu scores for learning "
    "Bayesian networks. PGM, 426–441.",
    "steck": "Steck, H. (2008). Learning the Bayesian network structure: Dirichlet prior versus data. UAI, 511–518.",
    "broom": "Broom, B. M., Do, K.-A., & Subramanian, D. (2012). Model averaging strategies for structure learning in "
    "Bayesian networks with limited data. BMC Bioinformatics, 13 (Suppl. 13), S10.",
    "scutari": "Scutari, M., & Nagarajan, R. (2013). Identifying significant edges in graphical models of molecular "
    "networks. Artificial Intelligence in Medicine, 57, 207–217.",
    "gross": "Gross, T. J., Bessani, M., Darwin Junior, W., Araújo, R. B., Vale, F. A. C., & Maciel, C. D. (2019). An "
    "analytical threshold for combining Bayesian networks. Knowledge-Based Systems, 175, 36–49.",
}


def methods_text(analysis: Analysis) -> str:
    """Return the methods section in the past tense."""
    main, options, data = analysis.main, analysis.options, analysis.data
    score = main.title.split(", ", 1)[1]
    prepared = (" " + " ".join(analysis.steps)) if analysis.steps else ""
    parts = [
        f"We learned the structure of a discrete Bayesian network over {data.n_variables} variables from "
        f"{data.n_cases:,} cases with arcwise {versions().get('arcwise', '')}.{prepared}"
    ]
    if main.credible is not None:
        facts = main.credible
        classes = "" if facts.classes is None else f", in {facts.classes:,} Markov equivalence classes"
        limit = "" if main.max_parents is None else f" with at most {main.max_parents} parents per variable"
        parts.append(
            f"All networks{limit} within a Bayes factor of {facts.bayes_factor:g} (Kass & Raftery, 1995) of the best "
            "one "
            f"under the {score} score were enumerated exactly, which gave a credible set of {facts.count:,} "
            f"network{'' if facts.count == 1 else 's'}{classes} (Liao, 2022). The confidence in an edge is the share "
            "of "
            "the networks that have it, weighted by their scores; directions were counted only where they are shared "
            "by "
            "all members of a network's equivalence class."
        )
    else:
        parts.append(
            f"We learned {analysis.confidence.n_networks:,} networks by tabu search under the {score} score, each from "
            "a bootstrap sample of the cases (Friedman et al., 1999). The confidence in an edge is the share of the "
            "networks that have it; directions were counted only where they are shared by all members of a network's "
            "equivalence class."
        )
    cost = float(options["missed_edge_cost"])
    as_much = "as much" if cost == 1 else f"{cost:g} times as much"
    if options["threshold"] is not None:
        cut = f"Edges with a confidence above {analysis.threshold:.3g} were kept."
    elif analysis.thresholds.chosen.label == "learned":
        cut = (
            f"Edges with a confidence above {analysis.threshold:.3g} were kept: on data sets sampled from known "
            "networks "
            f"this cut-off has the least cost if a missed edge costs {as_much} as an extra one (Liao, "
            "2022)."
        )
    else:
        cut = (
            f"Edges with a confidence above {analysis.threshold:.3g} were kept, the cut-off of least expected cost if "
            f"a missed edge costs {as_much} as an extra one."
        )
    dropped = len(analysis.consensus.dropped)
    if dropped:
        cut += f" {dropped} edge{'s' if dropped > 1 else ''} that would have closed a cycle {'were' if dropped > 1 else 'was'} left out."  # noqa: E501
    s = analysis.prior.sensitivity
    parts.append(cut)
    parts.append(
        f"Parameters are posterior means under a BDeu prior with equivalent sample size {s.ess:g}. The score of the "
        f"network varied by {s.relative:.2%} over an ε-contaminated set of priors (ε = {s.epsilon:g}; Scanagatta et "
        "al., "
        "2014)."
    )
    if analysis.comparisons:
        titles = "; ".join(other.title for other in analysis.comparisons)
        kept = [e for e in analysis.edges if e.fate in ("kept", "undirected")]
        robust = sum(e.spread[0] > HALF for e in kept)
        parts.append(
            f"As a check of robustness, the confidences were also found by other methods and scores ({titles}): "
            f"{robust} of the {len(kept)} edges had a confidence above one half under all of them."
        )
    parts.append(f"The random seed was {analysis.seed}.")
    return " ".join(parts)


def references(analysis: Analysis) -> tuple[str, ...]:
    """Return the works that the methods section and the report refer to, by author."""
    names = {str(s.score.describe()["name"]) for s in (analysis.main, *analysis.comparisons)}
    wanted = {"liao", "scanagatta", "steck", *(name for name in names if name in SOURCES)}
    wanted |= {"kass"} if analysis.main.method == "credible" else {"friedman"}
    if any(s.method == "bootstrap" for s in analysis.comparisons):
        wanted.add("friedman")
    for mark in analysis.thresholds.marks:
        if mark.label.lower() in SOURCES:
            wanted.add(mark.label.lower())
    return tuple(sorted(SOURCES[key] for key in wanted))

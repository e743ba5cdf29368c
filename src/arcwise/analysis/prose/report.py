"""From an analysis to the content of its report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from arcwise.analysis.averaged import is_few
from arcwise.analysis.edges import HALF, EdgeFinding, floor_of
from arcwise.analysis.evidence_plan import plan_evidence
from arcwise.analysis.prose.audit import audit_blocks
from arcwise.analysis.prose.beliefs import belief_blocks
from arcwise.analysis.prose.bounds import restriction
from arcwise.analysis.prose.calibration import calibration_blocks
from arcwise.analysis.prose.chains import chain_blocks
from arcwise.analysis.prose.choices import choices_table, repeat_blocks
from arcwise.analysis.prose.constraints import constraint_blocks
from arcwise.analysis.prose.cuts import cut_sections
from arcwise.analysis.prose.edges import edge_sentences, state_label
from arcwise.analysis.prose.experiments import experiment_sections
from arcwise.analysis.prose.fit import fit_blocks, prediction_blocks
from arcwise.analysis.prose.gaps import completion_account, gap_blocks
from arcwise.analysis.prose.methods import methods_text, references
from arcwise.analysis.prose.prior import prior_blocks
from arcwise.analysis.prose.ranges import range_sections
from arcwise.analysis.prose.sources import account_of_sample, completeness, ensemble_title
from arcwise.analysis.prose.summary import summary_sentences
from arcwise.analysis.prose.variable import listed, these, variable_answer
from arcwise.analysis.thresholds import COST_POWERS
from arcwise.counts import contingency
from arcwise.report import (
    Bullets,
    Chart,
    Column,
    Guide,
    KnownRules,
    NetworkEdge,
    NetworkNode,
    NetworkView,
    Paragraph,
    Report,
    RuleLine,
    Section,
    Series,
    Table,
    Verbatim,
)
from arcwise.report.content.numbers import percent, round_inside
from arcwise.report.content.trust import TOO_FEW

if TYPE_CHECKING:
    from arcwise.analysis.analysis import Analysis
    from arcwise.analysis.averaged import CredibleFacts
    from arcwise.priors import Saturation
    from arcwise.report.content.blocks import Block

__all__ = ["build_report"]

# A probability table with more numbers than this is left to network.bif.
MOST_SHOWN_CELLS = 600
# A curve of many networks is thinned to about this many points, which a drawing cannot tell apart.
CURVE_POINTS = 300


def build_report(analysis: Analysis) -> Report:
    """Return everything that the report says."""
    data, main = analysis.data, analysis.main
    kept = sum(edge.fate.in_network for edge in analysis.edges)
    return Report(
        title=f"Which edges to trust: {analysis.name}",
        subtitle=f"A Bayesian network of {data.n_variables} variables from {data.n_cases:,} cases",
        facts=(
            ("variables", f"{data.n_variables:,}"),
            ("cases", f"{data.n_cases:,}"),
            ("method", main.title),
            ("networks averaged", f"{analysis.confidence.n_networks:,}"),
            *_held(analysis),
            ("cut-off", f"{analysis.threshold:.3g}"),
            ("edges in the network", f"{kept:,}"),
        ),
        summary=(*_about_target(analysis), *summary_sentences(analysis), *(remark.text for remark in analysis.remarks)),
        network=_network(analysis),
        glossary=_glossary(analysis),
        sections=(
            *_focus(analysis),
            *range_sections(analysis),
            Section("ensemble", ensemble_title(analysis), tuple(_ensemble(analysis))),
            *(
                [Section("constraints", "What you said, and what it cost", constraint_blocks(analysis))]
                if analysis.constraints is not None
                else []
            ),
            *(
                (Section("beliefs", "What was believed, and what the data say", tuple(belief_blocks(analysis))),)
                if analysis.options.beliefs is not None
                else ()
            ),
            *experiment_sections(analysis),
            Section("rules", "Where to cut", tuple(_rules(analysis))),
            Section("prior", "Does the prior decide, and are there enough data?", tuple(_prior(analysis))),
            *([Section("fit", "Does the network fit?", fit_blocks(analysis.fit))] if analysis.fit is not None else []),
            *cut_sections(analysis),
            Section("data", "The data", tuple(_data(analysis))),
            Section("choices", "What was chosen, and why", tuple(_choices(analysis))),
            Section("methods", "Methods, ready to paste", _methods(analysis)),
            Section("repeat", "How to repeat it", repeat_blocks(analysis)),
        ),
    )


def _held(analysis: Analysis) -> tuple[tuple[str, str], ...]:
    """Say how much of the posterior a credible set holds, where that was found."""
    facts = analysis.main.credible
    if facts is None or facts.covered is None:
        return ()
    return (("of the posterior in the set", _covered(facts)),)


def _about_target(analysis: Analysis) -> tuple[str, ...]:
    """Say first what the target depends on and how well it is predicted."""
    if analysis.focus is None:
        return ()
    variable, scores = analysis.focus.variable, analysis.focus.scores
    on = listed(variable.blanket) if variable.blanket else "nothing that the data show"
    given = f"; given {these(variable.blanket)}, no other variable tells more about it" if variable.blanket else ""
    return (
        f"{variable.name} depends on {on}{given}. It is predicted right "
        f"in {percent(scores.accuracy)} of cases that were not learned from; its most frequent state alone in "
        f"{percent(scores.usual_accuracy)}.",
    )


def _focus(analysis: Analysis) -> tuple[Section, ...]:
    """Return what the analysis says about its target, if it has one."""
    if analysis.focus is None:
        return ()
    about = variable_answer(analysis.focus.variable)
    return (
        Section("target", about.title, about.blocks),
        Section(
            "prediction",
            f"How well {analysis.focus.variable.name} is predicted",
            prediction_blocks(analysis.focus.scores),
        ),
    )


def _glossary(analysis: Analysis) -> tuple[tuple[str, str], ...]:
    """Say what the words mean, for a reader who has not seen them before."""
    source = analysis.main.recipe.source_facts
    networks = f"the {source.networks}" if source.is_sample else f"all {source.networks}, by weight,"
    used = {item.recipe.source: item.recipe.source_facts for item in analysis.sets}
    methods = "; ".join(f"{facts.title}: {facts.meaning}" for facts in used.values())
    return (
        ("edge", "two variables depend on each other, even when the others are known"),
        ("confidence", f"of {networks} the share that has the edge: 0 to 1"),
        ("probability", "how often an edge of such a confidence is real, in data from known networks: 0 to 1"),
        ("cut-off", "edges with a confidence above it are in the network; the slider moves it"),
        ("direction", "not a cause; an edge that fits either way has no arrow head"),
        ("score", "how fit is weighed against complexity; qNML, BDeu and BIC are three ways"),
        ("method", methods),
        ("prior", "what BDeu assumes before it sees data, as a number of imagined cases"),
    )


def _network(analysis: Analysis) -> NetworkView:
    data, dag = analysis.data, analysis.dag
    index = {name: position for position, name in enumerate(data.names)}
    nodes = []
    for v, name in enumerate(data.names):
        counts = contingency(data, [v])
        states = tuple(state_label(state) for state in data.states[v])
        nodes.append(NetworkNode(name, states, tuple((counts / counts.sum()).round(4).tolist())))
    plan = plan_evidence(analysis.network)
    tables = tuple(
        tuple(tuple(row) for row in table.tolist()) if plan.order or table.size <= MOST_SHOWN_CELLS else None
        for table in analysis.network.tables
    )
    return NetworkView(
        nodes=tuple(nodes),
        edges=tuple(_edge(analysis, edge, index) for edge in analysis.edges),
        threshold=analysis.threshold,
        cost=analysis.options.missed_edge_cost,
        rules=tuple(RuleLine(m.label, m.threshold.value, m.meaning) for m in analysis.thresholds.marks),
        methods=tuple(item.title for item in analysis.sets),
        ess=next((tuple(e.prior.ess.tolist()) for e in analysis.edges if e.prior is not None), ()),
        parents=dag.parents,
        tables=tables,
        floor=float(f"{floor_of(analysis.confidence, analysis.threshold):.3g}"),
        cost_powers=COST_POWERS,
        cost_cutoffs=analysis.thresholds.by_cost,
        known=_known(analysis, index),
        unseen=_unseen(analysis),
        evidence=plan,
        target=None if analysis.focus is None else index[analysis.focus.variable.name],
        few=analysis.confidence.n_networks if analysis.has_few_networks else 0,
    )


def _unseen(analysis: Analysis) -> float | None:
    """Return how many real edges to expect among the pairs that the report does not list."""
    if analysis.probability.calibration.kind == "none":
        return None
    listed = sum(edge.probability.edge for edge in analysis.edges if edge.probability is not None)
    return round(max(0.0, float(analysis.probability.vector.sum()) - listed), 4)


def _known(analysis: Analysis, index: dict[str, int]) -> KnownRules | None:
    """Return what the slider's networks must obey."""
    rules = analysis.consensus.constraints
    if rules is None:
        return None
    return KnownRules(tuple((index[tail], index[head]) for tail, head in rules.required), rules.limits)


def _edge(analysis: Analysis, edge: EdgeFinding, index: dict[str, int]) -> NetworkEdge:
    prior = edge.prior
    return NetworkEdge(
        first=index[edge.first],
        second=index[edge.second],
        present=round_inside(edge.present, 6),
        forward=round_inside(edge.forward, 6),
        backward=round_inside(edge.backward, 6),
        undirected=round_inside(edge.undirected, 6),
        error=round(edge.standard_error, 4),
        by_method=tuple(None if value is None else round_inside(value, 6) for _, value in edge.by_method),
        tail=index[edge.tail],
        counts=tuple(tuple(row) for row in edge.counts.tolist()),
        curve=() if prior is None else tuple(float(f"{value:.3g}") for value in prior.exact),
        given=() if prior is None else tuple(index[name] for name in prior.given),
        words=edge_sentences(analysis, edge),
        fate=edge.fate,
        agreement=TOO_FEW if analysis.has_few_networks else edge.agreement,
        origin=edge.origin.label,
        probability=_probability(analysis, edge),
        is_settled=edge.is_settled,
    )


def _probability(analysis: Analysis, edge: EdgeFinding) -> float | None:
    if edge.probability is None or analysis.probability.calibration.kind == "none":
        return None
    return round_inside(edge.probability.edge, 4)


def _ensemble(analysis: Analysis) -> list[Block]:
    facts = analysis.main.credible
    blocks: list[Block] = _credible(analysis, facts) if facts is not None else [Paragraph(account_of_sample(analysis))]
    if analysis.main.chains is not None:
        blocks += chain_blocks(analysis.main.chains)
    if account := completion_account(analysis):
        blocks.append(Paragraph(account))
    if analysis.comparisons:
        rows = []
        for s in analysis.sets:
            assert s.confidence is not None
            vector = s.confidence.vector
            rows.append(
                (
                    s.title,
                    s.confidence.n_networks,
                    int((vector > HALF).sum()),
                    None if is_few(s.confidence.n_networks, s.recipe) else int((vector >= 0.95).sum()),
                    float(np.abs(vector - analysis.confidence.vector).mean()),
                )
            )
        blocks.append(
            Table(
                "The same data by other methods and scores. The last column is the mean difference of the confidences "
                "from those in the first row, over all pairs.",
                (
                    Column("method, score"),
                    Column("networks", 0),
                    Column("edges above one half", 0),
                    Column("edges at 0.95 or more", 0),
                    Column("mean difference", 3),
                ),
                tuple(rows),
            )
        )
    return blocks


def _covered(facts: CredibleFacts) -> str:
    """Return the share of the posterior that a set holds, as accurately as it is known."""
    assert facts.covered is not None
    if facts.covered_error == 0:
        return percent(facts.covered)
    if facts.covered == 0:
        return f"less than {percent(2 * facts.covered_error)}"
    return f"about {percent(facts.covered)} (give or take {percent(2 * facts.covered_error)})"


def _reliance(facts: CredibleFacts) -> str:
    """Say how the share was found, unless it was summed."""
    if facts.covered_error == 0:
        return ""
    if not facts.covered_verdict:
        return ", by networks that chains drew from all of it"
    return f", by chains that had not converged, so that this is a guess ({facts.covered_verdict.rstrip('.')})"


def _credible(analysis: Analysis, facts: CredibleFacts) -> list[Block]:
    classes = (
        ""
        if facts.classes is None
        else f" They fall into {facts.classes:,} class{'' if facts.classes == 1 else 'es'} of equivalent networks: "
        "those of one class fit data of this kind equally well, whatever the values are."
    )
    which = restriction(analysis.main.recipe, "networks") or "networks"
    covered = f" What share of the posterior probability of all {which} they hold could not be found within the limits."
    if facts.covered is not None:
        covered = (
            f" Together they hold {_covered(facts)} of the posterior probability of all {which}{_reliance(facts)}."
        )
    odds = ", prior odds included," if analysis.main.recipe.beliefs else ""
    count = f"{facts.count:,} networks are" if facts.count != 1 else "One network is"
    text = (
        f"{count} within a factor of {facts.bayes_factor:g}{odds} of the best single one: this is the credible set, "
        f"and it is {completeness(analysis.main.recipe)}.{classes}{covered} One best network has "
        f"{percent(facts.best_share)} of the weight of the set: that is how far it can be trusted alone."
    )
    blocks: list[Block] = [Paragraph(text)]
    if len(facts.deviations) > 1:
        kind = "class" if facts.by_class else "network"
        rank, curve = _thinned(facts.deviations)
        factors = [f for f in (3.0, 20.0, 150.0) if math.log(f) <= max(curve[-1], math.log(facts.bayes_factor)) + 1e-9]
        median = facts.deviations[len(facts.deviations) // 2]
        blocks.append(
            Chart(
                caption=f"How far the k-th best {kind} falls short of the best, on the scale of natural logarithms.",
                summary=f"The curve rises from 0 to {curve[-1]:.2f} over {len(facts.deviations):,} "
                f"{'classes' if facts.by_class else 'networks'}; half of them are within {median:.2f}, a Bayes factor "
                f"of {math.exp(median):.1f}.",
                x_label=f"k, rank of the {kind}",
                y_label="deviation from the best",
                series=(Series(analysis.main.title, rank, curve, steps=True),),
                guides=tuple(Guide(math.log(f), f"Bayes factor {f:g}") for f in factors),
                log_x=len(facts.deviations) > 30,
            )
        )
    elif facts.count > 1:
        blocks.append(Paragraph("The set is too large to be listed; it was counted and averaged as a whole."))
    return blocks


def _thinned(deviations: tuple[float, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return ranks and deviations, thinned evenly on a logarithmic scale of ranks."""
    count = len(deviations)
    ranks = np.unique(np.round(np.geomspace(1, count, CURVE_POINTS)).astype(int)) if count > CURVE_POINTS else None
    chosen = range(1, count + 1) if ranks is None else ranks.tolist()
    return tuple(float(k) for k in chosen), tuple(round(deviations[k - 1], 4) for k in chosen)


def _rules(analysis: Analysis) -> list[Block]:
    vector = analysis.confidence.vector
    rows = tuple(
        (m.label, m.threshold.value, int((vector > m.threshold.value).sum()), m.meaning)
        for m in analysis.thresholds.marks
    )
    chosen = analysis.thresholds.chosen
    return [
        Paragraph(
            f"An edge is in the network if its confidence is above the cut-off, here {chosen.threshold.value:.3g}: "
            f"{chosen.meaning}. This assumes that {chosen.threshold.assumes}. The slider of the report shows "
            "what another choice changes."
        ),
        Paragraph(analysis.thresholds.advice),
        *calibration_blocks(analysis),
        Table(
            "The cut-offs of the rules.",
            (Column("rule"), Column("cut-off", 3), Column("edges above it", 0), Column("what it is")),
            rows,
        ),
    ]


def _prior(analysis: Analysis) -> list[Block]:
    blocks = prior_blocks(analysis)
    saturation = analysis.prior.saturation
    if saturation is not None:
        blocks += _saturation(saturation)
    blocks += [Paragraph(note.text) for note in analysis.prior.notes]
    return blocks


def _saturation(saturation: Saturation) -> list[Block]:
    """Say whether more data would change the structure, in whole edges: no graph has 7.3 of them."""
    sizes = tuple(float(size) for size in saturation.sizes)
    before, after = int(sizes[-2]), int(sizes[-1])
    changed, final = round(float(saturation.change[-1])), round(float(saturation.edges[-1]))
    verdict = "would probably change little" if saturation.settled else "may well change the structure"
    how_many = "hardly any edge" if changed == 0 else f"about {changed:,} edge{'' if changed == 1 else 's'}"
    text = (
        f"More data {verdict}: the step from {before:,} to all {after:,} cases added, removed or reversed {how_many}; "
        f"the best network of all cases has {final:,} (BDeu, means over {saturation.repetitions} shuffles of the rows)."
    )
    if not saturation.settled:
        text += (
            " So do not rely on the details of one best network: the confidences show which edges all good ones share."
        )
    least = round(float(saturation.edges[0]))
    return [
        Paragraph(text),
        Chart(
            caption="The best network of growing parts of the data: how many edges it has, and how many were added, "
            f"removed or reversed since the previous part (means over {saturation.repetitions} shuffles).",
            summary=f"With {int(sizes[0])} cases about {least:,} edge{'' if least == 1 else 's'}, with all {after:,} "
            f"cases {final:,}; the last step changed {how_many}.",
            x_label="cases",
            y_label="edges",
            series=(
                Series("edges", sizes, tuple(saturation.edges.round(3).tolist())),
                Series("changed", sizes[1:], tuple(saturation.change[1:].round(3).tolist())),
            ),
            log_x=True,
        ),
    ]


def _data(analysis: Analysis) -> list[Block]:
    data = analysis.data
    blocks: list[Block] = []
    if analysis.prepared.steps:
        blocks.append(Paragraph("Before learning, the data were prepared:"))
        blocks.append(Bullets(analysis.prepared.steps))
    else:
        blocks.append(Paragraph("The data were complete and discrete, and were used as they are."))
    blocks += gap_blocks(analysis)
    if analysis.prepared.audit is not None:
        blocks.extend(audit_blocks(analysis.prepared.audit))
    rows = []
    for v, name in enumerate(data.names):
        counts = contingency(data, [v]) if analysis.gaps is None else analysis.gaps.observed_counts(v)
        shares = "; ".join(
            f"{state_label(state)}: {percent(count / counts.sum())}"
            for state, count in zip(data.states[v], counts.tolist(), strict=True)
        )
        rows.append((name, len(data.states[v]), shares))
    blocks.append(
        Table(
            f"The variables, and the share of the cases {'that have a value ' if analysis.gaps else ''}in each state.",
            (Column("variable"), Column("states", 0), Column("shares")),
            tuple(rows),
        )
    )
    return blocks


def _choices(analysis: Analysis) -> list[Block]:
    return [
        Paragraph("Every choice was made for a reason and can be changed."),
        choices_table(analysis),
    ]


def _methods(analysis: Analysis) -> tuple[Block, ...]:
    return (Verbatim(methods_text(analysis), "methods section"), Bullets(references(analysis)))

"""Networks from every completion of data with gaps, by any source, as one ensemble."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset, Incomplete
from arcwise.deadline import Deadline
from arcwise.ensemble.chains.joined_verdict import joined_chain_facts
from arcwise.ensemble.families import Families
from arcwise.ensemble.gaps.completions import CHAINS, MOST_TIMES, Completions
from arcwise.ensemble.network_set import NetworkSet, concatenate
from arcwise.ensemble.network_summary import Ensemble, NetworkSummary
from arcwise.limits import Status
from arcwise.progress import ProgressEvent, show_progress

if TYPE_CHECKING:
    from arcwise.ensemble.recipe import Recipe, Run

__all__ = ["FEWEST", "STEADY", "completions_for", "run_completions"]

# Confidences of likely edges are steady if the standard error of their average over completions is below this.
STEADY = 0.05
LIKELY = 0.5
# With fewer completions at the end of the time, nothing is averaged.
FEWEST = 4

Visit = Callable[[Ensemble, Dataset], None]


def completions_for(recipe: Recipe, data: Incomplete | Completions, seed: int) -> Completions:
    """Return the completions that a recipe is to learn from."""
    if isinstance(data, Completions):
        return data
    return Completions(
        data,
        constraints=recipe.constraints_on(data.names),
        max_parents=recipe.max_parents,
        count=recipe.completions,
        seed=seed,
    )


def run_completions(recipe: Recipe, data: Completions, run: Run, visit: Visit | None = None) -> Ensemble:
    """Make the networks of a recipe from one completion after the other.

    There are as many as the data say, and up to three times as many while the confidence in an edge that is likely
    still has a standard error above 0.05. Where the time ends, those that are finished are a smaller sample of
    completions, if they are at least four or as many as were asked for; the status says so. It also says what ended the
    draws of one completion: of chains that had not converged, say.

    Parameters
    ----------
    recipe, run
        How networks are made, and the circumstances; `run.limits` are for all completions together.
    data
        The completions.
    visit
        Called with the networks of each completion, which are not kept, and the completion.
    """
    deadline = Deadline.of(run.limits)
    parts: list[Ensemble] = []
    likely: list[NDArray[np.float64]] = []
    status, ended, wanted = Status.COMPLETE, Status.COMPLETE, data.count
    with show_progress(run.progress) as callback:
        while len(parts) < wanted:
            index = len(parts)
            callback(ProgressEvent("completions", index, wanted))
            state = data.state(index, deadline)
            if state is None or deadline.is_over:
                status = Status.TIME_LIMIT
                break
            own = replace(run, seed=_seed(run.seed, index), limits=deadline.limits, progress=False)
            made = recipe.source_facts.run(recipe, state[0], own)
            if not made.count or not (made.complete or recipe.source_facts.is_sample):
                status = made.status
                if status is Status.INTERRUPTED or not parts:
                    return made
                break
            if ended is Status.COMPLETE:
                ended = made.status
            if visit is not None:
                visit(made, state[0])
            arcs = made.arc_probabilities()
            likely.append(arcs + arcs.T)
            parts.append(_summed(made))
            if len(parts) == wanted and wanted < MOST_TIMES * data.count and _is_moving(likely):
                wanted = min(MOST_TIMES * data.count, wanted + max(CHAINS, data.count // 2))
        callback(ProgressEvent("completions", len(parts), len(parts)))
    if len(parts) < min(FEWEST, data.count):
        return NetworkSummary.unfinished(data.data.names, status)
    steady = status is Status.COMPLETE and not _is_moving(likely)
    status = ended if status is Status.COMPLETE else status
    facts: dict[str, object] = {"completions": len(parts), "steady": steady, "n_cases": data.data.n_cases}
    return _merged(parts, recipe, status, facts, data.data.digest)


def _seed(seed: int, index: int) -> int:
    return int(np.random.SeedSequence([seed, index]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def _is_moving(present: list[NDArray[np.float64]]) -> bool:
    """Say whether the average confidence in a likely edge is still uncertain, by how far the chains' averages differ.

    Completions of one chain follow from each other; chains do not, so that the spread of their means is the honest one.
    """
    values = np.array(present)
    likely = values.mean(axis=0) > LIKELY
    means = np.array([values[chain::CHAINS].mean(axis=0) for chain in range(min(CHAINS, len(values)))])
    return bool((means.std(axis=0, ddof=1)[likely] / np.sqrt(len(means)) > STEADY).any()) if len(means) > 1 else True


def _summed(made: Ensemble) -> Ensemble:
    """Return the ensemble without what is large: the networks of a sample are kept, a credible set is summed up."""
    summary = getattr(made, "summary", None)
    return made if summary is None else summary()


def _merged(parts: list[Ensemble], recipe: Recipe, status: Status, facts: dict[str, object], digest: str) -> Ensemble:
    """Join the networks of all completions; each completion has the same weight."""
    listed = [part for part in parts if isinstance(part, NetworkSet)]
    if len(listed) == len(parts):
        weights = np.concatenate([part.weights / len(parts) for part in listed])
        joined = concatenate(listed).with_weights(weights)
        facts = {**joined.facts, **facts, **joined_chain_facts([part.facts for part in listed])}
        return replace(joined, status=status, data_digest=digest, facts=facts).made_by(recipe)
    names = parts[0].names
    known: list[dict[tuple[int, ...], int]] = [{} for _ in names]
    for part in parts:
        for node, parents in zip(part.families.row_nodes.tolist(), part.families.parent_tuples, strict=True):
            known[node].setdefault(parents, len(known[node]))
    families = Families.from_sets([list(sets) for sets in known])
    sums = {"posterior": np.zeros(families.n_rows), "equal": np.zeros(families.n_rows)}
    for part in parts:
        nodes, tuples = part.families.row_nodes.tolist(), part.families.parent_tuples
        rows = [int(families.node_offsets[v]) + known[v][ps] for v, ps in zip(nodes, tuples, strict=True)]
        sums["posterior"][rows] += part.family_probabilities("posterior") / len(parts)
        sums["equal"][rows] += part.family_probabilities("equal") / len(parts)
    return NetworkSummary(
        names=names,
        families=families,
        count=sum(part.count for part in parts),
        posterior=np.minimum(sums["posterior"], 1.0),
        equal=np.minimum(sums["equal"], 1.0),
        origin=recipe.source,
        status=status,
        max_parents=recipe.max_parents,
        score=dict(recipe.score),
        data_digest=digest,
        facts=facts,
    ).made_by(recipe)
